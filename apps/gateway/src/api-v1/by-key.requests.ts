import { JSONSchema } from 'class-validator-jsonschema';
import { matches, MAX_STATUSES, MessageId } from '@mgw/contracts';
import { BROADCAST_EXAMPLE, CreateBroadcastRequest, ListRecipientsQuery } from '../broadcasts/broadcasts.requests';
import { IsDryRun, rule } from '../requests/field-rules';
import { PageQuery } from '../requests/page';
import { IgnoresUnknownFields } from '../requests/request.pipe';
import { ImportSuppressionsRequest, SetSuppressionRequest } from '../suppressions/suppressions.requests';
import { RecoverRequest } from '../webhooks/recovery.requests';
import { CreateWebhookRequest, ListDeliveriesQuery, UpdateWebhookRequest } from '../webhooks/webhooks.requests';

const AreMessageIds = () =>
  rule('areMessageIds', (value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_STATUSES)
      return `must be a list of 1 to ${MAX_STATUSES} message ids`;
    const wrong = value.findIndex((id) => !matches(MessageId, id));
    return wrong < 0 ? null : `must hold ids of messages: number ${wrong + 1} is not one`;
  });

@IgnoresUnknownFields()
@JSONSchema({ example: { message_ids: ['wamid.HBgLMTIwMTU1NTAxMDAVAgARGBI0QTlGMkMwRTdCNUQxMzY4MEEA'] } })
export class MessageStatusesRequest {
  @AreMessageIds()
  message_ids!: string[];
}

// The requests of the dashboard's API, whose unknown fields the REST API ignores (decision 6).

@IgnoresUnknownFields()
export class PageByKeyQuery extends PageQuery {}

@IgnoresUnknownFields()
export class CreateWebhookByKeyRequest extends CreateWebhookRequest {}

@IgnoresUnknownFields()
export class UpdateWebhookByKeyRequest extends UpdateWebhookRequest {}

@IgnoresUnknownFields()
export class ListDeliveriesByKeyQuery extends ListDeliveriesQuery {}

@IgnoresUnknownFields()
export class RecoverByKeyRequest extends RecoverRequest {}

@IgnoresUnknownFields()
export class SetSuppressionByKeyRequest extends SetSuppressionRequest {}

@IgnoresUnknownFields()
export class ImportSuppressionsByKeyRequest extends ImportSuppressionsRequest {}

@IgnoresUnknownFields()
@JSONSchema({ example: BROADCAST_EXAMPLE })
export class CreateBroadcastByKeyRequest extends CreateBroadcastRequest {
  @IsDryRun()
  @JSONSchema({ description: 'Checks every recipient and creates nothing; the response has what the check found.' })
  dry_run?: boolean | null;
}

@IgnoresUnknownFields()
export class ListRecipientsByKeyQuery extends ListRecipientsQuery {}
