import { Controller, Get, Req } from '@nestjs/common';
import { FindSend, GatewayError, GetMessageStatus, matches, MessageId, type ReplyOf } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyRequest } from 'fastify';
import { CurrentKey, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { Responds } from '../responses/responds';
import { MessageStatusResponse } from './api-v1.responses';

type Send = NonNullable<ReplyOf<typeof FindSend>['send']>;

@Controller('api/v1')
@RestApi()
export class MessageStatusController {
  constructor(private readonly rpc: RpcClient) {}

  /** Spec §4.8. Ids contain `/` and `=`, so the path takes them raw and percent-encoded (decision 25). */
  @Get('message-status/*')
  @Responds(MessageStatusResponse, 'Follow the delivery of a message', { errors: ['NOT_FOUND'], wildcard: 'message_id' })
  async status(@CurrentKey() { business }: KeyAccess, @Req() request: FastifyRequest<{ Params: { '*': string } }>) {
    const message_id = request.params['*'];
    if (!matches(MessageId, message_id)) throw unknownMessage();
    return { success: true as const, ...(await this.find(business.id, message_id, request.id)) };
  }

  /** The status service has accepted messages. The send service has failed sends, and messages that are not in the status service yet. */
  private async find(business_id: number, message_id: string, requestId: string) {
    const known = message_id.startsWith('gw_')
      ? null
      : (await this.rpc.call(GetMessageStatus, { business_id, message_id }, { requestId })).record;
    if (known) return recordOf(known);
    const { send } = await this.rpc.call(FindSend, { business_id, message_id }, { requestId });
    if (!send || send.state === 'calling') throw unknownMessage();
    if (send.state !== 'accepted') return failedSend(send);
    const { record } = await this.rpc.call(GetMessageStatus, { business_id, message_id: send.message_id }, { requestId });
    return recordOf(
      record ?? { message_id: send.message_id, delivery_status: 'sent', sent_at: send.at, to: send.to, failure_reason: null },
    );
  }
}

/** Spec §2.3, in its order. Only a failed message has `failure_reason`. */
function recordOf(record: NonNullable<ReplyOf<typeof GetMessageStatus>['record']>) {
  const { message_id, delivery_status, sent_at, to, failure_reason } = record;
  return { message_id, api_status: 'success' as const, delivery_status, sent_at, to, ...(failure_reason !== null && { failure_reason }) };
}

/** Decision 23a. */
function failedSend({ message_id, at, to, failure_reason }: Send) {
  const reason = failure_reason ?? 'The outcome of this send is not known.';
  return { message_id, api_status: 'failed' as const, delivery_status: 'failed' as const, sent_at: at, to, failure_reason: reason };
}

function unknownMessage(): GatewayError {
  return new GatewayError('NOT_FOUND', 'No message of this business has that id.', {
    hint: 'The status appears a few seconds after sending: try again shortly.',
  });
}
