import { Module } from '@nestjs/common';
import { operatorControllers, outboxRelay, personalDataController, retention } from '@mgw/service';
import { BroadcastConfig } from './broadcast.config';
import { BroadcastsHandlers } from './broadcasts/broadcasts.handlers';
import { BroadcastsStore } from './broadcasts/broadcasts.store';
import { broadcastPersonalData } from './personal-data';
import { KeyAccessClient } from './running/key-access-client.service';
import { RecipientSender } from './running/recipient-sender.service';
import { ReportsConsumer } from './running/reports.consumer';
import { RecipientsStore } from './running/recipients.store';
import { ReportsStore } from './running/reports.store';
import { RunnerService } from './running/runner.service';
import { RunsStore } from './running/runs.store';
import { UnclearService } from './running/unclear.service';
import { UnclearStore } from './running/unclear.store';

const METRICS = {
  broadcasts_running: `SELECT count(*) FROM broadcast.broadcasts WHERE status = 'running'`,
  recipients_unclear: `SELECT count(*) FROM broadcast.recipients WHERE state = 'unclear'`,
  recipients_waiting: `SELECT coalesce(sum(total - sent - failed), 0) FROM broadcast.broadcasts WHERE status = 'running'`,
};

/**
 * Deletes finished broadcasts only, their recipients first and in their own batches. Keeps a report for as long as the platform may
 * report on its message again (platform §4.5).
 */
const broadcastRetention = ({ broadcastsDays }: BroadcastConfig) => {
  const finished = `finished_at < now() - interval '${broadcastsDays} days'`;
  return {
    rows: [
      { table: 'broadcast.recipients', where: `broadcast_id = ANY (ARRAY(SELECT id FROM broadcast.broadcasts WHERE ${finished}))` },
      {
        table: 'broadcast.broadcasts',
        where: `${finished} AND NOT EXISTS (SELECT FROM broadcast.recipients r WHERE r.broadcast_id = expired.id)`,
      },
      { table: 'broadcast.reports', where: `at < now() - interval '30 days'` },
    ],
  };
};

@Module({
  controllers: [
    BroadcastsHandlers,
    ...operatorControllers('broadcast', 'broadcast', METRICS),
    personalDataController('broadcast', 'broadcast', broadcastPersonalData),
  ],
  providers: [
    BroadcastsStore,
    RecipientsStore,
    ReportsStore,
    RunsStore,
    UnclearStore,
    KeyAccessClient,
    RecipientSender,
    RunnerService,
    UnclearService,
    ReportsConsumer,
    retention(BroadcastConfig, broadcastRetention),
    outboxRelay(['PUBLIC']),
  ],
})
export class BroadcastModule {}
