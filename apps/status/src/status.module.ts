import { Module } from '@nestjs/common';
import { PublishWaitingEvents } from '@mgw/contracts';
import { startOfMonth } from '@mgw/postgres';
import { operatorControllers, outboxRelay, personalDataController, retention, WantedEvents } from '@mgw/service';
import { CostsHandlers } from './costs/costs.handlers';
import { CostsStore } from './costs/costs.store';
import { RateCardStore } from './costs/rate-card.store';
import { LogHandlers } from './log/log.handlers';
import { LogStore } from './log/log.store';
import { statusPersonalData } from './personal-data';
import { RecordsConsumer } from './records/records.consumer';
import { RecordsHandlers } from './records/records.handlers';
import { RecordsStore } from './records/records.store';
import { StatusEvents } from './records/status-events.service';
import { StatusConfig } from './status.config';
import { UsageFolding } from './usage/usage-folding.service';
import { UsageStore } from './usage/usage.store';

/**
 * Partitioned by the month of a message's first event; status.record_keys keeps that month for all later events. Deletes the keys before the
 * month that they point to.
 */
const statusRetention = ({ messagesDays: days }: StatusConfig) => ({
  rows: [
    { table: 'status.record_keys', where: `month < ${startOfMonth(days)}` },
    { table: 'status.usage', where: `folded AND bucket < ${startOfMonth(days)}` },
    { table: 'status.billing', where: `folded AND bucket < ${startOfMonth(days)}` },
  ],
  months: [
    { table: 'status.records', column: 'month', fillfactor: 80, days },
    { table: 'status.history', column: 'occurred_at', days },
  ],
});

@Module({
  controllers: [
    RecordsHandlers,
    LogHandlers,
    CostsHandlers,
    ...operatorControllers('status', 'status'),
    personalDataController('status', 'status', statusPersonalData),
  ],
  providers: [
    RecordsStore,
    LogStore,
    UsageStore,
    CostsStore,
    RateCardStore,
    StatusEvents,
    WantedEvents,
    RecordsConsumer,
    UsageFolding,
    retention(StatusConfig, statusRetention),
    outboxRelay(['PUBLIC'], PublishWaitingEvents),
  ],
})
export class StatusModule {}
