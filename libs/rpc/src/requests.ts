import { GatewayError } from '@mgw/contracts';
import { newInbox } from '@mgw/nats';
import type { Msg, MsgHdrs, NatsConnection } from 'nats';

/** Status that NATS answers with when nobody hears a subject. */
const NO_RESPONDERS = 503;

interface Waiting {
  token: string;
  respond(message: Msg): void;
  fail(error: unknown): void;
}

/**
 * Requests under way on a connection; their answers come to one inbox. Each ends with its answer, at its time, or when the connection
 * breaks: the client's own would then wait for their whole time, and one made while disconnected would be sent much later
 * (guarantees §6). It would also make an error with its stack for every answer.
 */
export class Requests {
  private readonly inbox: string;
  /**
   * By place, and each place is used again. Not a Map: whenever one makes room V8 leaves its old table behind with all that was in it,
   * and old tables keep each other alive, so that most requests would stay in memory until a full collection, long after their answer.
   */
  private readonly waiting: (Waiting | undefined)[] = [];
  private readonly free: number[] = [];
  private made = 0;
  private up = true;

  constructor(private readonly connection: NatsConnection) {
    this.inbox = newInbox(connection);
    connection.subscribe(`${this.inbox}.*`, {
      callback: (fault, message) => {
        if (fault) return;
        const token = message.subject.slice(this.inbox.length + 1);
        const waiting = this.waiting[Number.parseInt(token, 10)];
        // The place may be another's by now.
        if (waiting?.token === token) waiting.respond(message);
      },
    });
    void this.watch();
  }

  get connected(): boolean {
    return this.up;
  }

  /** @throws GatewayError OVERLOADED when nobody took it, DEADLINE_EXCEEDED, or REPLY_LOST */
  send(subject: string, body: string, headers: MsgHdrs, withinMs: number): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const place = this.free.pop() ?? this.waiting.length;
      const token = `${place}-${(this.made += 1)}`;
      const end = (): void => {
        clearTimeout(timer);
        this.waiting[place] = undefined;
        this.free.push(place);
      };
      const fail = (error: unknown): void => {
        end();
        reject(error as Error);
      };
      const timer = setTimeout(() => fail(new GatewayError('DEADLINE_EXCEEDED', 'The answer did not come in time.')), withinMs);
      const answer = (message: Msg): void => {
        if (message.headers?.code === NO_RESPONDERS && message.data.length === 0)
          return fail(new GatewayError('OVERLOADED', 'The service is not running now; nothing was done. Try again shortly.'));
        end();
        resolve(message);
      };
      this.waiting[place] = { token, respond: answer, fail };
      try {
        this.connection.publish(subject, body, { reply: `${this.inbox}.${token}`, headers });
      } catch (error) {
        fail(error);
      }
    });
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'reconnect') this.up = true;
      if (type === 'disconnect') this.cut();
    }
    this.cut();
  }

  private cut(): void {
    this.up = false;
    for (const waiting of this.waiting) waiting?.fail(new GatewayError('REPLY_LOST', 'The connection broke before the answer came.'));
  }
}
