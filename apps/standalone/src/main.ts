import { runStandalone } from '@mgw/service';
import { service as autoReply } from '../../auto-reply/src/main';
import { service as broadcast } from '../../broadcast/src/main';
import { service as gateway } from '../../gateway/src/main';
import { service as dispatcher } from '../../outbound-webhook-dispatcher/src/main';
import { service as ingest } from '../../platform-webhook-ingest/src/main';
import { service as send } from '../../send/src/main';
import { service as status } from '../../status/src/main';
import { service as template } from '../../template/src/main';

if (require.main === module) void runStandalone([gateway, broadcast, autoReply, ingest, send, status, template, dispatcher]);
