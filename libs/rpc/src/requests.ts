import { GatewayError, type Operation } from '@mgw/contracts';
import { onDeadline } from '@mgw/deadlines';
import { newInbox } from '@mgw/nats';
import type { Msg, MsgHdrs, NatsConnection } from 'nats';

/** Status of NATS' response when nobody subscribes to a subject. */
const NO_RESPONDERS = 503;

interface Waiting {
  /** End of the subject of its response: `<service>.<slot>-<number>`. */
  token: string;
  respond(message: Msg): void;
  fail(error: unknown): void;
}

/**
 * The requests in progress on a connection; one inbox receives their responses. A request ends with its response, at its deadline, or when
 * the connection breaks. The client's own `request` would wait for the whole deadline then, would send requests made while disconnected
 * much later (guarantees §6), and creates an error with its stack for every response.
 */
export class Requests {
  private readonly inbox: string;
  /**
   * Indexed by slot, and slots are reused. A Map would leave its old table behind whenever it grows or shrinks. V8 promotes such tables, so
   * most requests would stay in memory until a full collection, long after their response.
   */
  private readonly waiting: (Waiting | undefined)[] = [];
  private readonly free: number[] = [];
  private made = 0;
  private up = true;

  constructor(private readonly connection: NatsConnection) {
    this.inbox = newInbox(connection);
    connection.subscribe(`${this.inbox}.*.*`, {
      callback: (fault, message) => {
        if (fault) return;
        const token = message.subject.slice(this.inbox.length + 1);
        const waiting = this.waiting[Number.parseInt(token.slice(token.indexOf('.') + 1), 10)];
        // A later request may use the slot by now, or one to another service.
        if (waiting?.token === token) waiting.respond(message);
      },
    });
    void this.watch();
  }

  get connected(): boolean {
    return this.up;
  }

  /**
   * @param operation its response comes to a subject with the service's name, because that service may publish to no other inbox
   * @throws GatewayError OVERLOADED when no service received it, DEADLINE_EXCEEDED, or REPLY_LOST
   */
  send({ subject, service }: Operation, body: string, headers: MsgHdrs, withinMs: number): Promise<Msg> {
    const { waiting, response } = this.expect(service, withinMs);
    try {
      this.connection.publish(subject, body, { reply: `${this.inbox}.${waiting.token}`, headers });
    } catch (error) {
      waiting.fail(error);
    }
    return response;
  }

  /** Separate from `send`, so that no closure keeps the body of a request in memory until its response. */
  private expect(service: string, withinMs: number): { waiting: Waiting; response: Promise<Msg> } {
    const slot = this.free.pop() ?? this.waiting.length;
    const token = `${service}.${slot}-${(this.made += 1)}`;
    const { promise: response, resolve, reject } = withResolvers<Msg>();
    const end = (): void => {
      cancel();
      this.waiting[slot] = undefined;
      this.free.push(slot);
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const cancel = onDeadline(withinMs, () => fail(new GatewayError('DEADLINE_EXCEEDED', 'The service did not respond in time.')));
    const respond = (message: Msg): void => {
      if (message.headers?.code === NO_RESPONDERS && message.data.length === 0)
        return fail(new GatewayError('OVERLOADED', 'The service is not running, so nothing was done. Try again shortly.'));
      end();
      resolve(message);
    };
    const waiting = { token, respond, fail };
    this.waiting[slot] = waiting;
    return { waiting, response };
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'reconnect') this.up = true;
      if (type === 'disconnect') this.failAll();
    }
    this.failAll();
  }

  private failAll(): void {
    this.up = false;
    for (const waiting of this.waiting) waiting?.fail(new GatewayError('REPLY_LOST', 'The connection broke before the service responded.'));
  }
}

/** `Promise.withResolvers` of newer Node.js versions. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
