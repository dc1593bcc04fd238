import { Type, type Static } from '@sinclair/typebox';
import { characters, Id, IsoTime, MessageId, Nullable } from './fields';
import { operation } from './operation';
import { NextCursor, PageRequest } from './paging';
import { Idempotency } from './send';

/** Rows of one broadcast at most. */
export const MAX_RECIPIENTS = 20_000;

const Values = Type.Array(characters(1024), { maxItems: 50 });

/** What is wrong with a row. */
export const RowFault = Type.Object({
  line: Type.Integer({ minimum: 1 }),
  field: Type.String(),
  message: Type.String(),
});
export type RowFault = Static<typeof RowFault>;

/** Somebody to write to, as the business wrote it; checked by the broadcast service. */
export const BroadcastRow = Type.Object({
  /** Its place in the list that was given, from 1; of a CSV the line in the file. */
  line: Type.Integer({ minimum: 1 }),
  phone: Type.String({ maxLength: 140 }),
  body_params: Values,
  header_params: Values,
  /** What reading the file found; the values are then not what was meant. */
  fault: Type.Optional(Type.Omit(RowFault, ['line'])),
});
export type BroadcastRow = Static<typeof BroadcastRow>;

const draft = {
  business_id: Id,
  template_name: characters(512, 1),
  language: characters(20, 1),
  recipients: Type.Array(BroadcastRow, { minItems: 1, maxItems: MAX_RECIPIENTS }),
};

/** Checks every row against the template, and sends nothing. */
export const CheckBroadcast = operation('broadcast', 'check', {
  request: Type.Object(draft),
  /** The first 100 faults. */
  reply: Type.Object({ total: Type.Integer(), wrong: Type.Integer(), faults: Type.Array(RowFault) }),
  errors: ['TEMPLATE_NOT_FOUND'],
  deadlineMs: 15_000,
});

/** Creating starts it, or at `scheduled_at`. VALIDATION_FAILED with every wrong row: then nothing is made. */
export const CreateBroadcast = operation('broadcast', 'create', {
  request: Type.Object({
    ...draft,
    name: characters(100, 1),
    scheduled_at: Nullable(IsoTime),
    plan: Type.String(),
    timezone: Type.String(),
    idempotency: Type.Optional(Nullable(Idempotency)),
  }),
  /** `replayed`: an earlier request with the same Idempotency-Key has made it. */
  reply: Type.Object({ id: Id, replayed: Type.Optional(Type.Boolean()) }),
  errors: ['TEMPLATE_NOT_FOUND', 'IDEMPOTENCY_MISMATCH'],
  deadlineMs: 15_000,
});

export const BroadcastRecord = Type.Object({
  id: Id,
  name: Type.String(),
  template_name: Type.String(),
  language: Type.String(),
  status: Type.Union((['scheduled', 'running', 'paused', 'completed', 'cancelled'] as const).map((status) => Type.Literal(status))),
  total_recipients: Type.Integer(),
  /** The platform took the message, and has not reported that it failed, or has that it was read (product decision 26). */
  sent: Type.Integer(),
  /** Refused, or reported as failed later, and not as read. */
  failed: Type.Integer(),
  /**
   * WhatsApp did not answer clearly, so these may have been sent: neither sent nor failed until a status callback or 24 hours decide, also
   * after the broadcast has ended.
   */
  unclear: Type.Integer(),
  pending: Type.Integer(),
  created_at: IsoTime,
  scheduled_at: Nullable(IsoTime),
  started_at: Nullable(IsoTime),
  finished_at: Nullable(IsoTime),
});
export type BroadcastRecord = Static<typeof BroadcastRecord>;

/** The newest first. */
export const ListBroadcasts = operation('broadcast', 'list', {
  isRead: true,
  request: Type.Object({ business_id: Id, ...PageRequest }),
  reply: Type.Object({ broadcasts: Type.Array(BroadcastRecord), next_cursor: NextCursor }),
});

export const GetBroadcast = operation('broadcast', 'get', {
  isRead: true,
  request: Type.Object({ business_id: Id, id: Id }),
  reply: Type.Object({
    broadcast: BroadcastRecord,
    /** Why recipients failed, the most frequent first. */
    failures: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() })),
  }),
  errors: ['NOT_FOUND'],
});

export const RecipientState = Type.Union(
  (['pending', 'sending', 'sent', 'failed', 'unclear'] as const).map((state) => Type.Literal(state)),
);

export const ListRecipients = operation('broadcast', 'list-recipients', {
  isRead: true,
  request: Type.Object({ business_id: Id, id: Id, ...PageRequest, state: Nullable(RecipientState) }),
  reply: Type.Object({
    recipients: Type.Array(
      Type.Object({
        nth: Type.Integer(),
        phone: Type.String(),
        state: RecipientState,
        message_id: Nullable(MessageId),
        reason: Nullable(Type.String()),
      }),
    ),
    next_cursor: NextCursor,
  }),
  errors: ['NOT_FOUND'],
});

const change = {
  request: Type.Object({ business_id: Id, id: Id }),
  reply: Type.Object({}),
  /** CONFLICT when it has ended already. */
  errors: ['NOT_FOUND', 'CONFLICT'],
} as const;

/** What is under way ends; nothing more begins. */
export const CancelBroadcast = operation('broadcast', 'cancel', change);

/** What is under way ends; nothing more begins until it is resumed, and another of the business may run meanwhile. A paused one stays so. */
export const PauseBroadcast = operation('broadcast', 'pause', change);

/**
 * A paused one goes on where it stopped: as soon as no other of the business runs, and not before `scheduled_at`; until then it is
 * `scheduled`. One that is not paused stays as it is.
 */
export const ResumeBroadcast = operation('broadcast', 'resume', change);
