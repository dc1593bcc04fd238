import { Controller } from '@nestjs/common';
import { GetMessageStatuses } from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { RecordsStore } from './records.store';

@Controller()
export class RecordsHandlers {
  constructor(private readonly records: RecordsStore) {}

  @Handles(GetMessageStatuses)
  find: Handler<typeof GetMessageStatuses> = async ({ business_id, message_ids }) => ({
    statuses: await this.records.find(business_id, message_ids),
  });
}
