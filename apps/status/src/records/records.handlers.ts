import { Controller } from '@nestjs/common';
import { GetMessageStatus, GetMessageStatuses, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { RecordsStore } from './records.store';

@Controller()
export class RecordsHandlers {
  constructor(private readonly records: RecordsStore) {}

  @Handles(GetMessageStatus)
  async get({ business_id, message_id }: RequestOf<typeof GetMessageStatus>): Promise<ReplyOf<typeof GetMessageStatus>> {
    return { record: await this.records.find(business_id, message_id) };
  }

  @Handles(GetMessageStatuses)
  async getMany({ business_id, message_ids }: RequestOf<typeof GetMessageStatuses>): Promise<ReplyOf<typeof GetMessageStatuses>> {
    return { statuses: await this.records.findMany(business_id, message_ids) };
  }
}
