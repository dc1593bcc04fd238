import { Injectable } from '@nestjs/common';
import { AiReplied, type DataOf, type EventEnvelope, type ListAutoReplies, type MessageReceived, type ResponseOf } from '@mgw/contracts';
import { appendToOutbox, deadWorkers, newEvent, traceparentOf } from '@mgw/events';
import { COUNTED_TODAY } from '../settings/settings.store';
import { Database, onRow, pageOf, readCursor, RowSet, type Tx } from '@mgw/postgres';
import type { Shares } from '@mgw/shares';

/** Why a question got no place under the limits. It is skipped, and its conversation needs an agent. */
export const LIMITS = {
  conversation_hour: 'this conversation has used its calls of the model for this hour',
  conversation_day: 'this conversation has used half of the daily limit',
  daily_limit: 'the daily limit is reached',
  cost_limit: 'the cost limit of the day is reached',
  no_rate: 'the rate card has no rate for this customer, so the cost limit cannot be kept',
};
type Limit = keyof typeof LIMITS;
/** The result of taking a place under the limits: `reserved`, or the limit that left none. */
type Reserved = 'reserved' | Limit;

/** A reply that failed because its outcome is unknown; `message_id` names the send. */
export type UnclearReply = Pick<Question, 'id' | 'business_id' | 'conversation_id'> & { message_id: string };

/** A reply that WhatsApp accepted, as this message to this number. */
export type SentReply = Pick<Question, 'id' | 'business_id' | 'conversation_id'> & { message_id: string; phone: string };

/** A customer's message that may get an automatic reply. */
export interface Question {
  id: number;
  business_id: number;
  inbound_message_id: string;
  conversation_id: number;
  customer: string;
  question: string;
  /** The reply that an earlier attempt prepared. */
  reply: string | null;
  /** Whether that reply may have been sent. */
  sending: boolean;
  /** Whether the question is so old that the Idempotency-Key of its reply may have expired. */
  stale: boolean;
  /** Whether it is too late for a reply. */
  late: boolean;
  /** Whether a send of its reply has ended, even if the process that sent it died. */
  send_ended: boolean;
  /** Number of claims; the fencing token. */
  claims: number;
  /** Attempts that failed; counted from zero once the reply may have been sent. */
  failed_attempts: number;
  /** Attempts that began without ending, including this one. */
  unfinished_attempts: number;
  /** Scheme, host and port of the model. */
  origin: string;
  /** The trace of the event that carried it. */
  traceparent: string | null;
}

type Row = Omit<Question, 'id' | 'business_id' | 'conversation_id'> & { id: string; business_id: string; conversation_id: string };
type Rooms = ReturnType<Shares['rooms']>;
type Listed = ResponseOf<typeof ListAutoReplies>;

/** How long after its question an automatic reply is useful; later an agent should reply. */
const USEFUL = '2 minutes';
/** USEFUL, CLAIM and two minutes: the send service ends a send whose process died after 105 seconds at most. */
const SEND_ENDED = '5 minutes';
/** How long a question waits for further messages, so that the model is called once for several in a row. */
const WAIT = '2 seconds';
/** Calls of the model that several questions in a row may make on one place under the limits. */
const CALLS_OF_PLACE = 3;
/** Calls of the model for one conversation in an hour, so that two bots do not write to each other without end. */
const CALLS_OF_HOUR = 30;
/** The part of the daily limit that one conversation may use. */
const ONE_CONVERSATION = 0.5;
/** How old a message may be when it arrives. */
const RECORDED = '15 minutes';
/** Longer than it takes to compose a reply (two reads of the thread and a model call), and longer than it takes to send one. */
const CLAIM = '60 seconds';
/** Matches only while this worker holds the question. The column `attempts` counts its claims, and is the fencing token `$2`. */
const OWN = `id = $1 AND ${onRow(`state = 'pending' AND attempts = $2`)}`;

/** The customer wrote again after the question `r`. An older message that arrived too late for a reply does not count (decision 727). */
const SUPERSEDED = `EXISTS (SELECT FROM auto_reply.replies newer WHERE newer.conversation_id = r.conversation_id AND newer.id > r.id
  AND (newer.received_at >= r.received_at OR newer.received_at + interval '${USEFUL}' > newer.created_at + interval '${WAIT}'))`;

/** Questions that a worker holds. */
const CLAIMED = `state = 'pending' AND worker_id IS NOT NULL`;

/** Empty for the deployment's own model. A business that names the same host gets a share of its own, which only makes shares smaller. */
const ORIGIN = `coalesce(lower(substring(s.base_url FROM '^[^/]+//[^/?#]+')), '')`;

const RECEIVED = new RowSet<EventEnvelope<typeof MessageReceived>>({
  business_id: ['bigint', ({ data }) => data.business_id],
  message_id: ['text', ({ data }) => data.message_id],
  conversation_id: ['bigint', ({ data }) => data.conversation_id],
  customer: ['text', ({ data }) => data.from],
  question: ['text', ({ data }) => questionOf(data)],
  at: ['timestamptz', ({ at }) => at],
  traceparent: ['text', (event) => traceparentOf(event) ?? null],
});

const SENT = new RowSet<SentReply>({ id: ['bigint', ({ id }) => id], sent_id: ['text', ({ message_id }) => message_id] });

/** A reply whose outcome is unknown. An erased one has no text. */
const UNCLEAR = `state = 'failed' AND message_id IS NOT NULL AND reply IS NOT NULL`;

/** The text, the label of a choice, or the caption of a file; "" without them. */
function questionOf({ text, caption }: DataOf<typeof MessageReceived>): string {
  return text ?? caption ?? '';
}

@Injectable()
export class RepliesStore {
  constructor(private readonly db: Database) {}

  /**
   * Records texts and captions for businesses with auto-reply on; agents handle all others. Records also messages that are too late for
   * a reply, unless they are too old, so that the inbox shows that they need an agent.
   */
  async record(events: EventEnvelope<typeof MessageReceived>[]): Promise<void> {
    const texts = events.filter(({ data }) => questionOf(data).trim() !== '');
    if (texts.length === 0) return;
    await this.db.query(
      `INSERT INTO auto_reply.replies (business_id, inbound_message_id, conversation_id, customer, question, received_at, due_at, traceparent)
       -- A platform time in the future would make the question useful for that long.
       SELECT n.business_id, n.message_id, n.conversation_id, n.customer, n.question, least(n.at, now()), now() + interval '${WAIT}', n.traceparent
       FROM ${RECEIVED.from('n')} JOIN auto_reply.settings s ON s.business_id = n.business_id AND s.enabled
       WHERE n.at > now() - interval '${RECORDED}'
       ON CONFLICT (business_id, inbound_message_id) DO NOTHING`,
      RECEIVED.values(texts),
    );
  }

  /**
   * Claims due questions, one per business, the longest waiting first. Questions of a dead worker are due at once.
   * @param full businesses that already use their share of the workers
   * @param origins how many workers each origin may still use
   */
  async claim(atMost: number, workerId: string, { full, origins }: { full: string[]; origins: Rooms }): Promise<Question[]> {
    await this.releaseClaimsOfDeadWorkers();
    const rows = await this.db.query<Row>(
      `WITH RECURSIVE businesses AS (
         (SELECT business_id AS id FROM auto_reply.replies WHERE state = 'pending' ORDER BY business_id LIMIT 1)
         UNION ALL
         SELECT (SELECT r.business_id FROM auto_reply.replies r WHERE r.state = 'pending' AND r.business_id > b.id
                 ORDER BY r.business_id LIMIT 1) FROM businesses b WHERE b.id IS NOT NULL
       ), open AS (
         SELECT b.id, o.origin, coalesce(known.room, $6) AS room FROM businesses b LEFT JOIN auto_reply.settings s ON s.business_id = b.id
         CROSS JOIN LATERAL (SELECT ${ORIGIN}) o (origin) LEFT JOIN unnest($4::text[], $5::integer[]) AS known (origin, room) ON known.origin = o.origin
         WHERE b.id <> ALL ($3::bigint[])
       ), due AS MATERIALIZED (
         SELECT r.id, r.due_at, open.origin, open.room FROM open CROSS JOIN LATERAL (
           SELECT id, due_at FROM auto_reply.replies WHERE business_id = open.id AND state = 'pending' AND due_at <= now()
           ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED) r
         WHERE open.room > 0
       ), fitting AS (
         SELECT id, origin FROM (SELECT due.*, row_number() OVER (PARTITION BY origin ORDER BY due_at, id) AS nth FROM due) queue
         WHERE nth <= room ORDER BY due_at, id LIMIT $1
       )
       UPDATE auto_reply.replies r SET due_at = now() + interval '${CLAIM}', attempts = attempts + 1, unfinished_attempts = unfinished_attempts + 1, worker_id = $2
       FROM fitting WHERE r.id = fitting.id
       RETURNING r.id, business_id, inbound_message_id, conversation_id, customer, question, reply, sending, attempts AS claims, failed_attempts, unfinished_attempts,
         origin, traceparent, received_at < now() - interval '${USEFUL}' AS late,
         received_at < now() - interval '${SEND_ENDED}' AS send_ended, received_at < now() - interval '23 hours' AS stale`,
      [atMost, workerId, full, [...origins.of.keys()], [...origins.of.values()], origins.newcomer],
    );
    return rows.map((row) => ({
      ...row,
      id: Number(row.id),
      business_id: Number(row.business_id),
      conversation_id: Number(row.conversation_id),
    }));
  }

  /** Releases a claim on which no work began. */
  async release({ id, claims }: Question): Promise<void> {
    await this.db.query(
      `UPDATE auto_reply.replies SET due_at = now(), unfinished_attempts = unfinished_attempts - 1, worker_id = NULL WHERE ${OWN}`,
      [id, claims],
    );
  }

  private async releaseClaimsOfDeadWorkers(): Promise<void> {
    await this.db.query(
      `WITH ${deadWorkers('auto_reply', `SELECT DISTINCT worker_id AS worker FROM auto_reply.replies WHERE ${CLAIMED}`)}
       UPDATE auto_reply.replies SET due_at = now(), worker_id = NULL WHERE ${CLAIMED} AND worker_id IN (SELECT worker FROM dead)`,
    );
  }

  /**
   * Whether the customer has written again.
   * @param newer later messages of the thread; the event of one that is not recorded yet is on its way
   */
  async isSuperseded({ id }: Question, newer: string[] = []): Promise<boolean> {
    const superseded = await this.db.query(
      `SELECT FROM auto_reply.replies r WHERE id = $1 AND (${SUPERSEDED} OR EXISTS (
         SELECT FROM unnest($2::text[]) AS written (id) WHERE NOT EXISTS (
           SELECT FROM auto_reply.replies WHERE business_id = r.business_id AND inbound_message_id = written.id)))`,
      [id, newer],
    );
    return superseded.length > 0;
  }

  /**
   * Reserves a place under the limits for a call of the model, until `end` releases it. Takes over the places of questions that this one
   * supersedes, so that a few messages in a row count once; none of them costs anything. A dead worker's place stays with its question.
   * Locks the business in a separate statement first, so that the counts include the places of transactions that it waited for.
   * @param price the rate of the reply; null without one
   * @param timezone of the day that the cost limit counts
   */
  async reserve({ id, business_id, conversation_id }: Question, price: string | null, timezone: string): Promise<Reserved> {
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT FROM auto_reply.settings WHERE business_id = $1 FOR UPDATE', [business_id]);
      if ((await callsOfHour(tx, conversation_id)) >= CALLS_OF_HOUR) return 'conversation_hour';
      const superseded = await tx.query<{ taken: number }>(
        `UPDATE auto_reply.replies SET reserved_at = CASE WHEN model_calls >= ${CALLS_OF_PLACE} THEN reserved_at END,
           called_at = CASE WHEN model_calls >= ${CALLS_OF_PLACE} THEN called_at END, expected_cost = NULL
         WHERE conversation_id = $2 AND id < $1 AND ${onRow(`state IN ('pending', 'skipped') AND NOT sending AND reserved_at IS NOT NULL`)}
           AND (model_calls < ${CALLS_OF_PLACE} OR expected_cost IS NOT NULL)
         RETURNING CASE WHEN reserved_at IS NULL THEN model_calls ELSE 0 END AS taken`,
        [id, conversation_id],
      );
      const [limit] = await tx.query<{ reached: Limit | null }>(
        `SELECT CASE
           WHEN daily_limit <= places.used THEN 'daily_limit'
           WHEN daily_limit * ${ONE_CONVERSATION} <= places.used_here THEN 'conversation_day'
           WHEN daily_cost_limit IS NOT NULL AND $4::numeric IS NULL THEN 'no_rate'
           WHEN daily_cost_limit < $4::numeric + ${COUNTED_TODAY} THEN 'cost_limit' END AS reached
         FROM auto_reply.settings, LATERAL (
           SELECT count(*) AS used, count(*) FILTER (WHERE conversation_id = $5) AS used_here FROM auto_reply.replies
           WHERE business_id = $2 AND reserved_at > now() - interval '24 hours' AND id <> $1) places
         WHERE business_id = $2`,
        [id, business_id, timezone, price, conversation_id],
      );
      if (!limit) return 'daily_limit';
      if (limit.reached !== null) return limit.reached;
      const calls = superseded.reduce((sum, { taken }) => sum + taken, 1);
      const reserved = await tx.query(
        `UPDATE auto_reply.replies SET reserved_at = now(), called_at = now(), expected_cost = $2, model_calls = model_calls + $3
         WHERE id = $1 AND ${onRow(`state = 'pending'`)} RETURNING id`,
        [id, price, calls],
      );
      return reserved.length > 0 ? 'reserved' : 'daily_limit';
    });
  }

  async saveReply({ id, claims }: Question, reply: string): Promise<void> {
    await this.db.query(`UPDATE auto_reply.replies SET reply = $3 WHERE ${OWN}`, [id, claims, reply]);
  }

  /**
   * Records that the reply may be sent from now on, and resets failed attempts: a worker that takes over follows up the send.
   * @returns false if a newer question or another worker replaced this one: send nothing
   */
  async startSending({ id, claims }: Question): Promise<boolean> {
    const started = await this.db.query(
      `UPDATE auto_reply.replies r SET sending = true, failed_attempts = 0, due_at = now() + interval '${CLAIM}'
       WHERE ${OWN} AND reserved_at IS NOT NULL AND NOT ${SUPERSEDED} RETURNING id`,
      [id, claims],
    );
    return started.length > 0;
  }

  /** Commits replies and their events together. */
  async replied(sent: SentReply[]): Promise<void> {
    // In the order in which other transactions lock the replies of a conversation.
    const replies = [...sent].sort((a, b) => a.id - b.id);
    await this.db.transaction(async (tx) => {
      const moved = await tx.query<{ nth: string; reply: string }>(
        `UPDATE auto_reply.replies r SET state = 'replied', reason = NULL, message_id = n.sent_id, ended_at = now()
         FROM ${SENT.from('n', 'nth')} WHERE r.id = n.id AND ${onRow(`state = 'pending' OR ${UNCLEAR}`)} RETURNING nth, reply`,
        SENT.values(replies),
      );
      const at = new Date().toISOString();
      const events = moved.map(({ nth, reply }) => {
        const { business_id, conversation_id, message_id, phone } = replies[Number(nth) - 1] as SentReply;
        const data = { message_id, to: phone, ai_response: reply, conversation_id, business_id };
        return newEvent(AiReplied, { id: `ai.replied:${message_id}`, at, business_id, key: `conversation:${conversation_id}`, data });
      });
      await appendToOutbox(tx, 'auto_reply', events);
    });
  }

  /**
   * Releases the place under the limits unless the model has replied: a customer whose replies cannot be sent must not call it without end.
   * @param keepsPlace even without a reply of the model: an earlier reply may have been sent, or a newer question takes over the place
   * @param messageId the id of a send whose outcome is unknown; null keeps the one of an earlier attempt
   */
  async end(
    { id, claims }: Question,
    state: 'skipped' | 'failed',
    reason: string,
    keepsPlace = false,
    messageId: string | null = null,
  ): Promise<void> {
    await this.db.query(
      `UPDATE auto_reply.replies SET state = $3, reason = $4, message_id = coalesce($6, message_id), ended_at = now(),
         reserved_at = CASE WHEN $5 OR reply IS NOT NULL THEN reserved_at END,
         expected_cost = CASE WHEN $5 AND $3 = 'failed' THEN expected_cost END
       WHERE ${OWN}`,
      [id, claims, state, reason, keepsPlace, messageId],
    );
  }

  /**
   * Claims due replies with an unknown outcome. The pause before the next query is a quarter of their age, and the last one comes after a day,
   * when the send service expects no report any more.
   */
  async claimUnclear(atMost: number): Promise<UnclearReply[]> {
    const rows = await this.db.query<{ id: string; business_id: string; conversation_id: string; message_id: string }>(
      `WITH due AS MATERIALIZED (
         SELECT id FROM auto_reply.replies WHERE ${UNCLEAR} AND due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
       )
       UPDATE auto_reply.replies r SET due_at = CASE WHEN ended_at < now() - interval '24 hours' THEN 'infinity'
         ELSE now() + greatest(interval '10 seconds', least(interval '10 minutes', (now() - ended_at) / 4)) END
       FROM due WHERE r.id = due.id RETURNING r.id, business_id, conversation_id, message_id`,
      [atMost],
    );
    return rows.map(({ message_id, ...ids }) => ({
      id: Number(ids.id),
      business_id: Number(ids.business_id),
      conversation_id: Number(ids.conversation_id),
      message_id,
    }));
  }

  /**
   * Releases the question for another attempt.
   * @param failedAttempts the new count
   * @param maybeSent whether the reply may have been sent
   * @param always even if the reply would no longer be useful
   * @param messageId the id of a send whose outcome is unknown; null keeps the one of an earlier attempt
   * @returns false if it is too late for another attempt
   */
  async postpone(
    { id, claims }: Question,
    {
      afterSeconds,
      failedAttempts,
      maybeSent,
      always,
      messageId = null,
    }: { afterSeconds: number; failedAttempts: number; maybeSent: boolean; always: boolean; messageId?: string | null },
  ): Promise<boolean> {
    const postponed = await this.db.query(
      `UPDATE auto_reply.replies SET due_at = now() + make_interval(secs => $3), sending = sending AND $4, failed_attempts = $6,
         unfinished_attempts = 0, worker_id = NULL, message_id = coalesce($7, message_id)
       WHERE ${OWN} AND ($5 OR received_at + interval '${USEFUL}' > now() + make_interval(secs => $3)) RETURNING id`,
      [id, claims, afterSeconds, maybeSent, always, failedAttempts, messageId],
    );
    return postponed.length > 0;
  }

  /** Finds conversations whose newest question failed or was refused by a limit. */
  async unanswered(businessId: number, conversationIds: number[]): Promise<{ conversation_id: number; reason: string }[]> {
    const rows = await this.db.query<{ conversation_id: string; reason: string | null }>(
      `SELECT q.id AS conversation_id, r.reason FROM unnest($2::bigint[]) AS q (id) CROSS JOIN LATERAL (
         SELECT business_id, state, reason FROM auto_reply.replies WHERE conversation_id = q.id ORDER BY id DESC LIMIT 1) r
       WHERE r.business_id = $1 AND (r.state = 'failed' OR r.reason = ANY ($3))`,
      [businessId, conversationIds, Object.values(LIMITS)],
    );
    return rows.map(({ conversation_id, reason }) => ({ conversation_id: Number(conversation_id), reason: reason ?? '' }));
  }

  /** Lists the newest first. */
  async list(businessId: number, limit: number, cursor: string | null): Promise<Listed> {
    const after = readCursor(cursor, ['id']);
    const rows = await this.db
      .reads(businessId)
      .query<Row & { message_id: string | null; state: Listed['replies'][number]['state']; reason: string | null; received_at: Date }>(
        `SELECT id, conversation_id, customer, question, reply, message_id, state, reason, received_at FROM auto_reply.replies
       WHERE business_id = $1 AND -id > -coalesce($3::bigint, 9223372036854775807) ORDER BY -id LIMIT $2`,
        [businessId, limit + 1, after?.[0] ?? null],
      );
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.id]);
    return {
      replies: page.map(({ id, conversation_id, customer, question, reply, message_id, state, reason, received_at }) => ({
        id: Number(id),
        conversation_id: Number(conversation_id),
        customer_phone: customer,
        question,
        reply,
        message_id,
        state,
        reason,
        at: received_at.toISOString(),
      })),
      next_cursor,
    };
  }
}

/** Includes the calls of questions that were superseded or that ended without a reply. */
async function callsOfHour(tx: Tx, conversationId: number): Promise<number> {
  const [row] = await tx.query<{ calls: number }>(
    `SELECT coalesce(sum(model_calls), 0)::integer AS calls FROM auto_reply.replies
     WHERE conversation_id = $1 AND called_at > now() - interval '1 hour'`,
    [conversationId],
  );
  return row?.calls ?? 0;
}
