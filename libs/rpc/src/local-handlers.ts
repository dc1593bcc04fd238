import { randomUUID } from 'node:crypto';
import { GatewayError } from '@mgw/contracts';
import { onDeadline } from '@mgw/deadlines';
import { asReceived } from './as-received';
import type { RpcContext } from './context';
import type { Incoming } from './incoming';

/** Bytes of a request or response: `max_payload` of deploy/nats/nats.conf, so that both transports refuse the same. */
const MAX_BYTES = 8 * 1024 ** 2;

type Receive = (incoming: Incoming) => void;

/** The handlers of a process. One with several services gives all of them the same instance (decision 500). */
export class LocalHandlers {
  private readonly handlers = new Map<string, Receive>();

  set(subject: string, receive: Receive): void {
    this.handlers.set(subject, receive);
  }

  delete(subject: string): void {
    this.handlers.delete(subject);
  }

  find(subject: string): Receive | undefined {
    return this.handlers.get(subject);
  }
}

/**
 * Calls a handler of this process. It receives copies, runs in its own turn, and ends by the deadline like one that NATS reaches.
 * @throws GatewayError the service's own error, OVERLOADED, or DEADLINE_EXCEEDED
 */
export function callHere(receive: Receive, request: unknown, context: RpcContext, traceparent: string | undefined): Promise<unknown> {
  const { value, bytes } = bounded(request);
  return new Promise((resolve, reject) => {
    const late = () => reject(new GatewayError('DEADLINE_EXCEEDED', 'The service did not respond in time.'));
    const cancel = onDeadline(context.deadlineAt - Date.now(), late);
    receive({
      bytes,
      traceparent: traceparent ?? null,
      context: () => ({ requestId: context.requestId || randomUUID(), deadlineAt: context.deadlineAt }),
      // A loop of calls must leave room for timers and sockets.
      begin: (work) => void setImmediate(work),
      read: () => value,
      respond: (response) => {
        const copy = bounded(response).value;
        cancel();
        resolve(copy);
      },
      refuse: (error) => {
        const wire = asReceived(error.toWire()).value as ReturnType<GatewayError['toWire']>;
        cancel();
        reject(GatewayError.fromWire(wire));
      },
    });
  });
}

/** @throws Error over the bound */
function bounded(sent: unknown): ReturnType<typeof asReceived> {
  const received = asReceived(sent);
  if (received.bytes > MAX_BYTES) throw new Error(`about ${received.bytes} bytes exceed the ${MAX_BYTES} of a message`);
  return received;
}
