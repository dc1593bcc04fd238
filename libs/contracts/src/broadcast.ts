import { Type, type Static } from '@sinclair/typebox';
import { characters, described, Id, Idempotency, IsoTime, MessageId, Nullable } from './fields';
import { operation } from './operation';
import { NextCursor, PageRequest } from './paging';

/** Maximum number of rows in a broadcast. */
export const MAX_RECIPIENTS = 20_000;

const Values = Type.Array(characters(1024), { maxItems: 50 });

/** A fault of a row. */
export const RowFault = Type.Object({
  line: Type.Integer({ minimum: 1 }),
  field: Type.String(),
  message: Type.String(),
});
export type RowFault = Static<typeof RowFault>;

/** A recipient as the business wrote it; the broadcast service validates it. */
export const BroadcastRow = Type.Object({
  /** Position in the list, from 1; for a CSV file the line. */
  line: Type.Integer({ minimum: 1 }),
  phone: Type.String({ maxLength: 140 }),
  body_params: Values,
  header_params: Values,
  button_params: Type.Optional(Values),
  /** Fault found while the file was read; the values are then not reliable. */
  fault: Type.Optional(Type.Omit(RowFault, ['line'])),
});
export type BroadcastRow = Static<typeof BroadcastRow>;

const draft = {
  business_id: Id,
  template_name: characters(512, 1),
  language: characters(20, 1),
  recipients: Type.Array(BroadcastRow, { minItems: 1, maxItems: MAX_RECIPIENTS }),
  scheduled_at: Nullable(IsoTime),
  timezone: Type.String(),
  /** How many recipients the business may write to on the day on which the broadcast starts, in `timezone`. */
  daily_limit: Type.Integer({ minimum: 0 }),
};

/** The limit of the day on which the broadcast starts. A cancelled broadcast counts only the people it tried to reach. */
const DailyUse = Type.Object({
  limit: Type.Integer(),
  used: Type.Integer({ description: 'Recipients of the broadcasts that start on this day.' }),
  left: Type.Integer(),
  resets_at: IsoTime,
});

/** How many people a broadcast would leave out. */
export const Suppressed = Nullable(
  Type.Integer({
    description: 'Recipients who opted out or are blocked, so that nothing is sent to them. Null while it cannot be counted.',
  }),
);

/** Absent from services of the previous version. */
const audience = {
  suppressed: Type.Optional(Suppressed),
  /** Valid recipients without the suppressed ones, by calling code, the largest market first; `*` has those of unknown countries. */
  markets: Type.Optional(Type.Array(Type.Object({ market: Type.String(), count: Type.Integer() }))),
};

/** The key that each accepted message is charged to, and its messages per day; absent for a person's broadcast. */
const charged = Type.Optional(Type.Object({ api_key_id: Id, daily_limit: Type.Integer({ minimum: 1 }) }));

/** Validates every row against the template and the cap of the charged key, and sends nothing. */
export const CheckBroadcast = operation('broadcast', 'check', {
  /** `plan` comes with `charged`. */
  request: Type.Object({ ...draft, plan: Type.Optional(Type.String()), charged }),
  /** The first 100 faults. */
  response: Type.Object({
    total: Type.Integer(),
    wrong: Type.Integer(),
    faults: Type.Array(RowFault),
    daily_limit: DailyUse,
    category: Type.Optional(Type.String({ description: 'The template’s category.' })),
    ...audience,
  }),
  errors: ['TEMPLATE_NOT_FOUND', 'DAILY_LIMIT_REACHED'],
  deadlineMs: 15_000,
});

/** Creates a broadcast, which starts at once or at `scheduled_at`. VALIDATION_FAILED lists every invalid row and creates nothing. */
export const CreateBroadcast = operation('broadcast', 'create', {
  request: Type.Object({
    ...draft,
    name: characters(100, 1),
    plan: Type.String(),
    idempotency: Type.Optional(Nullable(Idempotency)),
    charged,
  }),
  /** `replayed`: an earlier request with the same Idempotency-Key created it. */
  response: Type.Object({ id: Id, replayed: Type.Optional(Type.Boolean()) }),
  errors: ['TEMPLATE_NOT_FOUND', 'IDEMPOTENCY_MISMATCH', 'BROADCAST_LIMIT_REACHED', 'DAILY_LIMIT_REACHED', 'RATE_LIMITED'],
  deadlineMs: 15_000,
});

/** An error that any recipient would get, which paused the broadcast (decision 620). */
export const PauseCause = Type.Object({
  error_code: Type.String(),
  message: Type.String(),
  hint: Nullable(Type.String({ description: 'What to do before the broadcast is resumed.' })),
});
export type PauseCause = Static<typeof PauseCause>;

export const BroadcastRecord = Type.Object({
  id: Id,
  name: Type.String(),
  template_name: Type.String(),
  language: Type.String(),
  status: Type.Union((['scheduled', 'running', 'paused', 'completed', 'cancelled'] as const).map((status) => Type.Literal(status))),
  total_recipients: Type.Integer(),
  /** Decision 26. */
  sent: Type.Integer({ description: 'Recipients whose message WhatsApp accepted, and reported no failure or that it was read.' }),
  failed: Type.Integer({ description: 'Recipients whose message WhatsApp refused, or reported as failed and never as read.' }),
  unclear: Type.Integer({
    description:
      'Recipients whose message may have been sent, because WhatsApp did not respond clearly. Its report or 24 hours decide, even after ' +
      'the broadcast has ended.',
  }),
  pending: Type.Integer({ description: 'Recipients without a result yet.' }),
  created_at: IsoTime,
  scheduled_at: Nullable(IsoTime),
  started_at: Nullable(IsoTime),
  finished_at: Nullable(IsoTime),
  retry_of: described(Nullable(Id), 'The broadcast whose failed recipients this one writes to again.'),
  pause_cause: Type.Optional(
    Nullable({
      ...PauseCause,
      description:
        'The error that paused the broadcast, because any recipient would get it; null while it is not paused, or a person paused it.',
    }),
  ),
});
export type BroadcastRecord = Static<typeof BroadcastRecord>;

const WAITING = {
  waiting: Type.Optional(
    Type.Integer({ description: 'Pending recipients whose next attempt is later, after one that WhatsApp or the gateway refused.' }),
  ),
};

/** Lists broadcasts, newest first. */
export const ListBroadcasts = operation('broadcast', 'list', {
  isRead: true,
  request: Type.Object({ business_id: Id, ...PageRequest }),
  response: Type.Object({ broadcasts: Type.Array(Type.Object({ ...BroadcastRecord.properties, ...WAITING })), next_cursor: NextCursor }),
});

export const GetBroadcast = operation('broadcast', 'get', {
  isRead: true,
  request: Type.Object({ business_id: Id, id: Id }),
  response: Type.Object({
    broadcast: BroadcastRecord,
    delivered: Type.Integer({ description: 'Sent messages that were delivered; read ones count too.' }),
    read: Type.Integer({ description: 'Sent messages that were read.' }),
    replied: Type.Integer({ description: 'Recipients who wrote within a day after their message.' }),
    retryable: Type.Integer({
      description: 'Recipients who definitely failed, whose message was never reported as delivered, and that no retry has taken yet.',
    }),
    ...WAITING,
    sending: Type.Optional(Type.Integer({ description: 'Pending recipients whose message is on its way.' })),
    failures: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() }), {
      description: 'Why recipients failed, the most frequent first.',
    }),
  }),
  errors: ['NOT_FOUND'],
});

const RecipientState = Type.Union((['pending', 'sending', 'sent', 'failed', 'unclear'] as const).map((state) => Type.Literal(state)));

/** A state of a recipient, or how far a sent message got: `read` recipients are `delivered` too. */
export const RecipientFilter = Type.Union([
  RecipientState,
  ...(['delivered', 'read', 'replied'] as const).map((progress) => Type.Literal(progress)),
]);

export const ListRecipients = operation('broadcast', 'list-recipients', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    id: Id,
    ...PageRequest,
    state: Nullable(RecipientFilter),
    /** Any part of the phone number, in digits. */
    phone: Type.Optional(Nullable(Type.String({ pattern: '^\\d{1,20}$' }))),
    reason: Type.Optional(Nullable(characters(1_000))),
    /** Whether rows hold the values of their messages, for an export, and the first page the `value_counts`. */
    values: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    recipients: Type.Array(
      Type.Object({
        nth: Type.Integer({ description: 'The place in the list of the broadcast, from 1.' }),
        phone: Type.String(),
        state: RecipientState,
        message_id: described(Nullable(MessageId), 'For GET /message-status/{message_id}; null before a result.'),
        reason: described(Nullable(Type.String()), 'Why the message failed, or its last attempt.'),
        delivery: described(
          Nullable(Type.Union([Type.Literal('delivered'), Type.Literal('read')])),
          'The highest that WhatsApp reported of a sent message; null before.',
        ),
        replied_at: described(Nullable(IsoTime), 'When the recipient first wrote within a day after the message.'),
        next_attempt_at: Type.Optional(
          Nullable({
            ...IsoTime,
            description: 'The next attempt of a pending recipient who waits after a refusal, for which `reason` has the error.',
          }),
        ),
        body_params: Type.Optional(Type.Array(Type.String())),
        header_params: Type.Optional(Type.Array(Type.String())),
        button_params: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    next_cursor: NextCursor,
    /** The largest number of values that a recipient of the broadcast has. */
    value_counts: Type.Optional(Type.Object({ header_params: Type.Integer(), body_params: Type.Integer(), button_params: Type.Integer() })),
  }),
  errors: ['NOT_FOUND'],
});

/** Shows what RetryBroadcast would do now, and does nothing. CONFLICT if the broadcast has not ended. */
export const CheckRetry = operation('broadcast', 'check-retry', {
  request: Type.Object({ business_id: Id, id: Id, timezone: draft.timezone, daily_limit: draft.daily_limit }),
  response: Type.Object({
    total: Type.Integer({ description: 'Recipients of the retry.' }),
    daily_limit: DailyUse,
    category: Type.String({ description: 'The template’s category.' }),
    ...audience,
  }),
  errors: ['NOT_FOUND', 'CONFLICT', 'TEMPLATE_NOT_FOUND'],
  deadlineMs: 15_000,
});

/**
 * Creates a broadcast to the recipients of an ended one who definitely failed; one with an unknown outcome, or with a message that was
 * also reported as delivered, may have the message. Those who opted out are left out. A recipient is taken once. CONFLICT if it has not ended, if nobody is left to retry,
 * or while the business creates another broadcast.
 */
export const RetryBroadcast = operation('broadcast', 'retry', {
  request: Type.Object({
    business_id: Id,
    id: Id,
    plan: Type.String(),
    timezone: draft.timezone,
    daily_limit: draft.daily_limit,
    idempotency: Nullable(Idempotency),
  }),
  response: Type.Object({ id: Id, replayed: Type.Boolean() }),
  errors: ['NOT_FOUND', 'CONFLICT', 'TEMPLATE_NOT_FOUND', 'IDEMPOTENCY_MISMATCH', 'BROADCAST_LIMIT_REACHED'],
  deadlineMs: 15_000,
});

const change = {
  request: Type.Object({ business_id: Id, id: Id }),
  response: Type.Object({}),
  /** CONFLICT if it has ended. */
  errors: ['NOT_FOUND', 'CONFLICT'],
} as const;

/** Starts no more sends; those in progress end. */
export const CancelBroadcast = operation('broadcast', 'cancel', change);

/** Starts no more sends until it is resumed; another broadcast of the business may run meanwhile. No effect on a paused one. */
export const PauseBroadcast = operation('broadcast', 'pause', change);

/**
 * Continues a paused broadcast as soon as no other one of the business runs, and not before `scheduled_at`; until then it is `scheduled`.
 * No effect on one that is not paused.
 */
export const ResumeBroadcast = operation('broadcast', 'resume', change);
