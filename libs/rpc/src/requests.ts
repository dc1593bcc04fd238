import { GatewayError } from '@mgw/contracts';
import { newInbox } from '@mgw/nats';
import type { Msg, MsgHdrs, NatsConnection } from 'nats';

/** Status that NATS answers with when nobody hears a subject. */
const NO_RESPONDERS = 503;

interface Waiting {
  answer(message: Msg): void;
  fail(error: unknown): void;
}

/**
 * Requests under way on a connection; their answers come to one inbox. Each ends with its answer, at its time, or when the connection
 * breaks: the client's own would then wait for their whole time, and one made while disconnected would be sent much later
 * (guarantees §6). It would also make an error with its stack for every answer.
 */
export class Requests {
  private readonly inbox: string;
  private readonly waiting = new Map<string, Waiting>();
  private made = 0;
  private up = true;

  constructor(private readonly connection: NatsConnection) {
    this.inbox = newInbox(connection);
    connection.subscribe(`${this.inbox}.*`, {
      callback: (fault, message) => {
        if (!fault) this.waiting.get(message.subject.slice(this.inbox.length + 1))?.answer(message);
      },
    });
    void this.watch();
  }

  get connected(): boolean {
    return this.up;
  }

  /** @throws GatewayError OVERLOADED when nobody took it, DEADLINE_EXCEEDED, or REPLY_LOST */
  ask(subject: string, body: string, headers: MsgHdrs, withinMs: number): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const id = String((this.made += 1));
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
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
      this.waiting.set(id, { answer, fail });
      try {
        this.connection.publish(subject, body, { reply: `${this.inbox}.${id}`, headers });
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
    for (const { fail } of [...this.waiting.values()]) fail(new GatewayError('REPLY_LOST', 'The connection broke before the answer came.'));
  }
}
