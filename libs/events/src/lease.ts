import { randomUUID } from 'node:crypto';
import type { EventConsumerOptions } from './consumer';
import { Signal } from './signal';

/** How long an event of an ordered consumer may be at hand before it is offered again, in milliseconds. */
export const ORDERED_ACK_WAIT_MS = 4_000;
/** By the database's clock: then another replica may take over. */
const LEASE_MS = 10_000;
/** By our clock, from the asking on: so that whatever was delivered to us has come back before another replica may take over. */
const HELD_MS = LEASE_MS - ORDERED_ACK_WAIT_MS - 1_000;
const RENEW_EVERY_MS = 1_500;
const LOOK_EVERY_MS = 500;

/**
 * Lets one replica at a time pull a consumer's events: a row that is renewed while it lives, given back at a clean stop, and
 * taken over when it ran out. A statement of its own each time: nothing here belongs to a connection.
 */
export class Lease {
  private readonly holder = randomUUID();
  private readonly signal = new Signal();
  private held = false;
  private heldUntil = 0;
  private expiry: NodeJS.Timeout | undefined;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  /** @param changed called when it was won or lost */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly changed: () => void,
  ) {}

  get isHeld(): boolean {
    if (this.held && performance.now() >= this.heldUntil) this.set(false);
    return this.held;
  }

  start(): void {
    this.ended = this.run();
  }

  /** @param isSettled whether nothing is on its way to us: then the next one may begin at once, or else when the lease has run out */
  async stop(isSettled: () => Promise<boolean>): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    clearTimeout(this.expiry);
    if (!this.isHeld) return;
    const { db, schema, durable, logger } = this.options;
    try {
      if (!(await isSettled())) return;
      await db.query(`DELETE FROM ${schema}.consumer_leases WHERE consumer = $1 AND holder = $2`, [durable, this.holder]);
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'a lease could not be given back; it runs out');
    }
  }

  private async run(): Promise<void> {
    const { durable, logger } = this.options;
    while (!this.stopped) {
      try {
        await this.ask();
      } catch (error) {
        logger.warn({ err: error, consumer: durable }, 'a lease could not be asked for; trying again');
      }
      await this.signal.wait(this.isHeld ? RENEW_EVERY_MS : LOOK_EVERY_MS);
    }
  }

  /** Takes or renews it. Who stands by only reads. */
  private async ask(): Promise<void> {
    const { db, schema, durable } = this.options;
    const askedAt = performance.now();
    const rows = await db.query(
      `INSERT INTO ${schema}.consumer_leases AS l (consumer, holder, held_until)
       SELECT $1::text, $2::text, clock_timestamp() + interval '${LEASE_MS} milliseconds'
       WHERE NOT EXISTS (SELECT FROM ${schema}.consumer_leases WHERE consumer = $1 AND holder <> $2 AND held_until > clock_timestamp())
       ON CONFLICT (consumer) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
       WHERE l.holder = excluded.holder OR l.held_until <= clock_timestamp() RETURNING 1`,
      [durable, this.holder],
    );
    this.heldUntil = rows.length > 0 ? askedAt + HELD_MS : 0;
    clearTimeout(this.expiry);
    const leftMs = this.heldUntil - performance.now();
    if (leftMs > 0) this.expiry = setTimeout(() => this.isHeld, leftMs + 1);
    this.set(leftMs > 0);
  }

  private set(held: boolean): void {
    if (held === this.held) return;
    this.held = held;
    this.changed();
  }
}
