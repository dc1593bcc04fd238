import { createParamDecorator, Injectable, type ExecutionContext } from '@nestjs/common';
import { GetThread, type RequestOf, type SendMedia, type SendReaction, type SendTemplate, type SendText } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditStore, entryBy } from '../audit/audit.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { SendingService } from '../sending/sending.service';
import type { BusinessUser } from '../sessions/session-user';

type AgentSend = typeof SendMedia | typeof SendReaction | typeof SendTemplate | typeof SendText;
type Content<O extends AgentSend> = Omit<RequestOf<O>, 'sender' | 'to'>;

export interface Agent {
  user: BusinessUser;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The user of the session, with the request and the response whose headers a send reads and sets. */
export const CurrentAgent = createParamDecorator((_: unknown, context: ExecutionContext): Agent => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest & { user: BusinessUser }>();
  return { user: request.user, request, reply: http.getResponse<FastifyReply>() };
});

/** Messages that a person sends at the dashboard. */
@Injectable()
export class AgentSends {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly sending: SendingService,
    private readonly audit: AuditStore,
  ) {}

  async inConversation<O extends AgentSend>(conversation_id: number, operation: O, content: Content<O>, agent: Agent) {
    const { business_id } = agent.user;
    const { conversation } = await this.rpc.call(GetThread, { business_id, conversation_id, limit: 1, cursor: null });
    return this.send(operation, content, conversation.customer_phone, `conversation:${conversation_id}`, agent);
  }

  /** @param target of the audit entry; null for a person whose conversation is not known */
  async send<O extends AgentSend>(operation: O, content: Content<O>, to: string, target: string | null, { user, ...http }: Agent) {
    const { user_id, business_id } = user;
    const business = await this.businesses.get(business_id);
    const party = { sends_as: null, daily_limit: null, user_id, business: { id: business_id, plan: business.plan, zones: business } };
    const { result } = await this.audit.record(
      entryBy(user, 'reply.sent', target),
      () => this.sending.send<O>(operation, { ...content, to } as Omit<RequestOf<O>, 'sender'>, { party, ...http }),
      ({ sent }) => (sent.replayed ? null : {}),
    );
    return result;
  }
}
