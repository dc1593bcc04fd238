import { Module } from '@nestjs/common';
import { figuresController, retention } from '@mgw/service';
import { LogHandlers } from './log/log.handlers';
import { LogStore } from './log/log.store';
import { RecordsConsumer } from './records/records.consumer';
import { RecordsHandlers } from './records/records.handlers';
import { RecordsStore } from './records/records.store';
import { statusRetention } from './retention';
import { StatusConfig } from './status.config';

@Module({
  controllers: [RecordsHandlers, LogHandlers, figuresController('status', 'status')],
  providers: [RecordsStore, LogStore, RecordsConsumer, retention(StatusConfig, statusRetention)],
})
export class StatusModule {}
