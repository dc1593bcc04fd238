import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts';
import type { Fault } from '../faults/rules';
import { bubbleOf } from './bubble';
import { isMediaKind } from '../media/media-types';
import { userIdOf, waIdOf } from '../people/person-name';
import { failed, type Behaviour } from '../profile/behaviours';
import { accountFor, type ById } from './access';
import { GraphFailure } from '../graph-error';
import { mediaFailure } from './media-check';
import { messageOf, recipientOf, type MessageBody } from './message-body';
import { checkMessage } from './free-message-check';
import { messageId } from '../message-id';
import { checkShape, strict } from './shape';
import { codeOf, headerFile } from './template-message-check';
import { type SimulatorParts } from '../simulator-parts';

/** `POST /{phone_number_id}/messages` (platform §1). */
export async function postMessage(parts: SimulatorParts, request: FastifyRequest<ById>, reply: FastifyReply): Promise<unknown> {
  const account = accountFor(parts, request, (id) => parts.accounts.byNumber(id));
  if ((request.body as { status?: unknown } | null)?.status !== undefined) return readReceipt(parts, request.body);
  const message = messageOf(request.body);
  const recipient = recipientOf(message);
  const sent = { to: recipient, type: message.type, template: message.template?.name as string | undefined };
  const fault = parts.rules.match(sent) ?? parts.refused.nextFault(recipient);
  if (fault?.delay_ms) await pause(fault.delay_ms);
  if (fault?.refuse_connections_ms) parts.startOutage(fault.refuse_connections_ms);
  refuseByRule(fault);
  if (fault?.answer) return respondByRule(fault.answer, reply);
  parts.limits.countSent(account);
  checkMessage(account, message, recipient, parts.media);
  const person = parts.identities.personOf(recipient);
  checkWindow(parts, account, message, person);
  const behaviour = behaviourOf(parts, account, message, recipient);
  return accept(parts, { account, message, recipient, person, behaviour, fault, request, reply });
}

function refuseByRule(fault: Fault | undefined): void {
  if (fault?.error) throw new GraphFailure(fault.error.code, fault.error.message ?? 'refused by a rule', fault.error);
}

const ReadReceipt = strict({
  messaging_product: Type.Literal('whatsapp'),
  status: Type.Literal('read'),
  message_id: Type.String({ pattern: '^wamid\\..+' }),
  typing_indicator: Type.Optional(strict({ type: Type.Literal('text') })),
});

/** A read receipt, with or without the typing indicator (platform §1.1). */
function readReceipt({ rules }: SimulatorParts, body: unknown): { success: true } {
  checkShape(ReadReceipt, body, '');
  refuseByRule(rules.match({ to: '', type: 'read', template: undefined }));
  return { success: true };
}

function checkWindow(parts: SimulatorParts, account: Account, { type }: MessageBody, person: string): void {
  const isOpen = parts.conversations.isOpen(account.phone_number_id, person);
  if (type !== 'template' && !isOpen) {
    throw new GraphFailure(131047, 'Re-engagement message', { details: 'More than 24 hours have passed since the customer last replied' });
  }
  if (!isOpen && account.restricted) throw new GraphFailure(368, 'Temporarily blocked for policies violations', { status: 403 });
  parts.limits.countForPerson(account, person);
  if (!isOpen) parts.limits.startConversation(account, person);
}

/** The recipient's behaviour, unless the platform cannot deliver the message. */
function behaviourOf(parts: SimulatorParts, account: Account, message: MessageBody, recipient: string): Behaviour {
  const behaviour = parts.profile.behaviourOf(recipient);
  const problem = fileProblem(parts, message);
  if (problem !== null) return failed(131053, 'Media upload error', problem);
  if (message.type !== 'reaction') return behaviour;
  const { message_id } = message['reaction'] as { message_id: string };
  const isKnown = parts.phones.thread(account.phone_number_id, parts.identities.personOf(recipient)).some(({ id }) => id === message_id);
  // The platform posts only `sent` for a reaction.
  if (isKnown) return { ...behaviour, steps: behaviour.steps.filter(({ status }) => status === 'sent') };
  return failed(131009, 'Parameter value is not valid', 'The message that is reacted to is not in this conversation');
}

function fileProblem({ media }: SimulatorParts, message: MessageBody): string | null {
  const { type } = message;
  if (isMediaKind(type)) return mediaFailure(type, message[type] as object, media);
  const file = type === 'template' ? headerFile(message.template?.components) : null;
  return file && mediaFailure(file.kind, file.content, media);
}

interface Accepting {
  account: Account;
  message: MessageBody;
  recipient: string;
  person: string;
  behaviour: Behaviour;
  fault: Fault | undefined;
  request: FastifyRequest;
  reply: FastifyReply;
}

async function accept(
  parts: SimulatorParts,
  { account, message, recipient, person, behaviour, fault, request, reply }: Accepting,
): Promise<unknown> {
  const id = messageId(recipient, parts.random);
  const isPhone = /^\d+$/.test(recipient);
  const waId = isPhone ? waIdOf(recipient) : recipient;
  const bubble = bubbleOf(account, message);
  const at = new Date(parts.clock.now()).toISOString();
  parts.phones.add(account.phone_number_id, person, { id, direction: 'in', type: message.type, ...bubble, at, status: 'accepted' });
  parts.sent.add(account.phone_number_id, { id, recipient });
  const category = categoryOf(account, message);
  if (category === 'authentication') {
    const { name, components } = message.template ?? {};
    const code = { phone_number_id: account.phone_number_id, to: recipient, template: String(name), code: codeOf(components) };
    parts.codes.add({ at, ...code });
  }
  await parts.engine.follow({
    account,
    messageId: id,
    recipient,
    waId,
    isPhone,
    callbackData: message.biz_opaque_callback_data ?? null,
    behaviour,
    pricingCategory: category,
    isFree: parts.conversations.isFree(account.phone_number_id, person),
    tap: bubble.buttons[0] ?? null,
  });
  const body = {
    messaging_product: 'whatsapp',
    contacts: [
      {
        input: message.to ?? message.recipient,
        ...(isPhone ? { wa_id: waId } : { user_id: recipient }),
        ...(behaviour.reaction === 'username' && { user_id: userIdOf(recipient) }),
      },
    ],
    messages: [{ id, message_status: behaviour.held ? 'held_for_quality_assessment' : 'accepted' }],
  };
  if (fault?.cut_after_accept) {
    parts.requests.add(request, 0, body);
    request.raw.socket.destroy();
    return reply.hijack();
  }
  return body;
}

/** The category that the platform charges. */
function categoryOf(account: Account, { type, template }: MessageBody): string {
  if (type !== 'template') return 'service';
  const found = account.templates.find(({ name, language }) => name === template?.name && language === template?.language?.code);
  return (found?.category ?? 'utility').toLowerCase();
}

function respondByRule({ status, body, cut }: NonNullable<Fault['answer']>, reply: FastifyReply): unknown {
  if (cut) {
    reply.raw.socket?.destroy();
    return reply.hijack();
  }
  void reply.status(status ?? 200);
  return typeof body === 'string' ? reply.type('text/html').send(body) : (body ?? {});
}
