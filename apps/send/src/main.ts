import { runCommand, type Service } from '@mgw/service';
import { SendConfig } from './send.config';
import { SendModule } from './send.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';
import { InboundDetails1795392000000 } from './migrations/1795392000000-inbound-details';
import { ReadReceipts1795395600000 } from './migrations/1795395600000-read-receipts';
import { Media1795478400000 } from './migrations/1795478400000-media';
import { SentDetails1795479000000 } from './migrations/1795479000000-sent-details';
import { ErasedPeople1795651200000 } from './migrations/1795651200000-erased-people';
import { ByKey1795737600000 } from './migrations/1795737600000-by-key';
import { Uploads1795737700000 } from './migrations/1795737700000-uploads';
import { InboxWork1795741200000 } from './migrations/1795741200000-inbox-work';
import { Received1795830000000 } from './migrations/1795830000000-received';
import { StoredFiles1795833600000 } from './migrations/1795833600000-stored-files';
import { SentFiles1795840800000 } from './migrations/1795840800000-sent-files';
import { NewestMessages1796342440000 } from './migrations/1796342440000-newest-messages';
import { InlinedWords1796342460000 } from './migrations/1796342460000-inlined-words';
import { NumberTriples1796342450000 } from './migrations/1796342450000-number-triples';
import { FormerAliases1796342480000 } from './migrations/1796342480000-former-aliases';
import { PlatformTimes1796342500000 } from './migrations/1796342500000-platform-times';
import { BroadcastOfIntent1796342600000 } from './migrations/1796342600000-broadcast-of-intent';
import { SealingChecks1796342640000 } from './migrations/1796342640000-sealing-checks';
import { Assignees1796342680000 } from './migrations/1796342680000-assignees';
import { FormerAliasesSince1796342660000 } from './migrations/1796342660000-former-aliases-since';
import { MergedOptOuts1796342720000 } from './migrations/1796342720000-merged-opt-outs';
import { NewestLifts1796342721000 } from './migrations/1796342721000-newest-lifts';
import { NewestStatements1796342790000 } from './migrations/1796342790000-newest-statements';
import { NoteKeys1796342910000 } from './migrations/1796342910000-note-keys';
import { Search1795924800000 } from './migrations/1795924800000-search';

export const service: Service<SendConfig> = {
  name: 'send',
  module: SendModule,
  config: SendConfig,
  schema: 'send',
  migrations: [
    Baseline1795305600000,
    InboundDetails1795392000000,
    ReadReceipts1795395600000,
    Media1795478400000,
    SentDetails1795479000000,
    ErasedPeople1795651200000,
    ByKey1795737600000,
    Uploads1795737700000,
    InboxWork1795741200000,
    Received1795830000000,
    StoredFiles1795833600000,
    SentFiles1795840800000,
    Search1795924800000,
    NewestMessages1796342440000,
    NumberTriples1796342450000,
    InlinedWords1796342460000,
    FormerAliases1796342480000,
    PlatformTimes1796342500000,
    BroadcastOfIntent1796342600000,
    SealingChecks1796342640000,
    FormerAliasesSince1796342660000,
    Assignees1796342680000,
    MergedOptOuts1796342720000,
    NewestLifts1796342721000,
    NewestStatements1796342790000,
    NoteKeys1796342910000,
  ],
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
