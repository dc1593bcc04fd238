import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import {
  FindSends,
  GatewayError,
  GetMessageStatuses,
  intentIdOf,
  matches,
  MessageId,
  type FoundSend,
  type ResponseOf,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyRequest } from 'fastify';
import { CurrentKey, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { Responds } from '../responses/responds';
import { MessageStatusesResponse, MessageStatusResponse, type MessageStatus } from './api-v1.responses';
import { MessageStatusesRequest } from './by-key.requests';

type Status = ResponseOf<typeof GetMessageStatuses>['statuses'][number];
type Send = NonNullable<FoundSend>;

@Controller('api/v1')
@RestApi()
export class MessageStatusController {
  constructor(private readonly rpc: RpcClient) {}

  /** Spec §4.8. Ids contain `/` and `=`, so the path takes them raw and percent-encoded (decision 25). */
  @Get('message-status/*')
  @Responds(MessageStatusResponse, 'Follow the delivery of a message', { errors: ['NOT_FOUND'], wildcard: 'message_id' })
  async status(@CurrentKey() { business }: KeyAccess, @Req() request: FastifyRequest<{ Params: { '*': string } }>) {
    const message_id = request.params['*'];
    const [found] = matches(MessageId, message_id) ? await this.find(business.id, [message_id], request.id) : [];
    if (!found) throw unknownMessage();
    return { success: true as const, ...found };
  }

  @Post('message-status')
  @Responds(MessageStatusesResponse, 'Follow the delivery of up to 100 messages')
  async statuses(@CurrentKey() { business }: KeyAccess, @Body() { message_ids }: MessageStatusesRequest, @Req() { id }: FastifyRequest) {
    const ids = [...new Set(message_ids)];
    const found = await this.find(business.id, ids, id);
    return {
      success: true as const,
      statuses: found.filter((status) => status !== undefined),
      unknown: ids.filter((_, i) => found[i] === undefined),
    };
  }

  /**
   * The status service has accepted messages. The send service has failed sends, and messages that are not in the status service yet.
   * @returns the message of each id; undefined for an unknown one
   */
  private async find(business_id: number, ids: string[], requestId: string): Promise<(MessageStatus | undefined)[]> {
    const known = await this.statusesOf(
      business_id,
      ids.filter((id) => intentIdOf(id) === null),
      requestId,
    );
    const others = ids.filter((id) => !known.has(id));
    if (others.length === 0) return ids.map((id) => recordOf(known.get(id)));
    const { sends } = await this.rpc.call(FindSends, { business_id, message_ids: others }, { requestId });
    const accepted = sends.flatMap((send) => (send?.state === 'accepted' ? [send.message_id] : []));
    const current = await this.statusesOf(business_id, accepted, requestId);
    return ids.map((id) => {
      const send = sends[others.indexOf(id)];
      return send ? sendOf(send, current.get(send.message_id)) : recordOf(known.get(id));
    });
  }

  private async statusesOf(business_id: number, message_ids: string[], requestId: string): Promise<Map<string, Status>> {
    if (message_ids.length === 0) return new Map();
    const { statuses } = await this.rpc.call(GetMessageStatuses, { business_id, message_ids }, { requestId });
    return new Map(statuses.map((status) => [status.message_id, status]));
  }
}

/** Spec §2.3, in its order. Only a failed message has `failure_reason`. */
function recordOf(status: Status | undefined): MessageStatus | undefined {
  if (!status) return undefined;
  const { message_id, failure_reason, billing, ...rest } = status;
  return { message_id, api_status: 'success', ...rest, ...(failure_reason !== null && { failure_reason }), ...(billing && { billing }) };
}

/** @param status undefined if the status service has not consumed the acceptance yet */
function sendOf({ state, message_id, at, to, failure_reason }: Send, status: Status | undefined): MessageStatus | undefined {
  if (state === 'calling') return undefined;
  if (state === 'accepted') return recordOf(status ?? { message_id, delivery_status: 'sent', sent_at: at, to, failure_reason: null });
  // Decision 23a.
  const reason = failure_reason ?? 'OUTCOME_UNKNOWN: The outcome of this send is not known yet.';
  return { message_id, api_status: 'failed', delivery_status: 'failed', sent_at: at, to, failure_reason: reason };
}

function unknownMessage(): GatewayError {
  return new GatewayError('NOT_FOUND', 'No message of this business has that id.', {
    hint: 'The status appears a few seconds after sending: try again shortly.',
  });
}
