import { Module } from '@nestjs/common';
import { RecordsConsumer } from './records/records.consumer';
import { RecordsHandlers } from './records/records.handlers';
import { RecordsStore } from './records/records.store';

@Module({ controllers: [RecordsHandlers], providers: [RecordsStore, RecordsConsumer] })
export class StatusModule {}
