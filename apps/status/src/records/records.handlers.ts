import { Controller } from '@nestjs/common';
import { GetMessageStatuses, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { RecordsStore } from './records.store';

@Controller()
export class RecordsHandlers {
  constructor(private readonly records: RecordsStore) {}

  @Handles(GetMessageStatuses)
  async find({ business_id, message_ids }: RequestOf<typeof GetMessageStatuses>): Promise<ReplyOf<typeof GetMessageStatuses>> {
    return { statuses: await this.records.find(business_id, message_ids) };
  }
}
