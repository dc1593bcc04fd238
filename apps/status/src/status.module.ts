import { Module } from '@nestjs/common';
import { metricsController, retention } from '@mgw/service';
import { LogHandlers } from './log/log.handlers';
import { LogStore } from './log/log.store';
import { RecordsConsumer } from './records/records.consumer';
import { RecordsHandlers } from './records/records.handlers';
import { RecordsStore } from './records/records.store';
import { statusRetention } from './retention';
import { StatusConfig } from './status.config';
import { UsageFolding } from './usage/usage-folding.service';
import { UsageStore } from './usage/usage.store';

@Module({
  controllers: [RecordsHandlers, LogHandlers, metricsController('status', 'status')],
  providers: [RecordsStore, LogStore, UsageStore, RecordsConsumer, UsageFolding, retention(StatusConfig, statusRetention)],
})
export class StatusModule {}
