import { Module } from '@nestjs/common';
import { metricsController, outboxRelay, retention } from '@mgw/service';
import { BroadcastConfig } from './broadcast.config';
import { BroadcastsHandlers } from './broadcasts/broadcasts.handlers';
import { BroadcastsStore } from './broadcasts/broadcasts.store';
import { broadcastRetention } from './retention';
import { ReportsConsumer } from './running/reports.consumer';
import { RecipientsStore } from './running/recipients.store';
import { ReportsStore } from './running/reports.store';
import { RunnerService } from './running/runner.service';
import { RunsStore } from './running/runs.store';
import { SendingService } from './running/sending.service';
import { UnclearService } from './running/unclear.service';
import { UnclearStore } from './running/unclear.store';

const METRICS = {
  broadcasts_running: `SELECT count(*) FROM broadcast.broadcasts WHERE status = 'running'`,
  recipients_unclear: `SELECT count(*) FROM broadcast.recipients WHERE state = 'unclear'`,
  recipients_waiting: `SELECT coalesce(sum(total - sent - failed), 0) FROM broadcast.broadcasts WHERE status = 'running'`,
};

@Module({
  controllers: [BroadcastsHandlers, metricsController('broadcast', 'broadcast', METRICS)],
  providers: [
    BroadcastsStore,
    RecipientsStore,
    ReportsStore,
    RunsStore,
    UnclearStore,
    SendingService,
    RunnerService,
    UnclearService,
    ReportsConsumer,
    retention(BroadcastConfig, broadcastRetention),
    outboxRelay('broadcast', ['PUBLIC']),
  ],
})
export class BroadcastModule {}
