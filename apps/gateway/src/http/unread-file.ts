import type { Socket } from 'node:net';
import { GatewayError } from '@mgw/contracts';
import { respondedWithin } from '@mgw/deadlines';
import type { FastifyRequest } from 'fastify';

/** Routes whose body is a file of any type. */
const FILE_ROUTES = /^\/api\/(v1\/media|client\/media(\/samples)?)$/;
/** Longest pause within a file, in milliseconds. */
const PAUSE_MS = 10_000;

export const takesFile = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'POST' && FILE_ROUTES.test(routeOptions.url ?? '');

/** Connections on which a file arrives; it may take longer than other bodies. */
const receiving = new WeakSet<Socket>();
export const isReceivingFile = (socket: Socket): boolean => receiving.has(socket);

/** A file in the body of a request. Its reader decides how fast it arrives. */
export class UnreadFile {
  /** The error that ended `bytes`. A reader that passes the bytes on may see another error. */
  error: GatewayError | null = null;

  constructor(private readonly payload: FastifyRequest['raw']) {}

  /** @throws GatewayError for a file that pauses for too long, ends early or has more than `most` bytes */
  async *bytes(most: number): AsyncGenerator<Buffer> {
    const { payload } = this;
    // Without a response to a broken file its sender would not know the reason.
    const chunks = payload.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    let read = 0;
    receiving.add(payload.socket);
    try {
      for (;;) {
        const { value, done } = await withoutPause(chunks.next());
        if (done) return;
        read += value.length;
        if (read > most) throw fileTooLarge(most);
        yield value;
      }
    } catch (error) {
      throw (this.error = error instanceof GatewayError ? error : endedEarly());
    } finally {
      receiving.delete(payload.socket);
    }
  }
}

export function fileTooLarge(most: number): GatewayError {
  return new GatewayError('PAYLOAD_TOO_LARGE', `A file of this type has at most ${most} bytes.`);
}

function endedEarly(): GatewayError {
  return new GatewayError('VALIDATION_FAILED', 'The file ended before its Content-Length.');
}

function withoutPause<T>(next: Promise<T>): Promise<T> {
  const message = `The file paused for ${PAUSE_MS / 1_000} seconds. Send it without pauses.`;
  return respondedWithin(PAUSE_MS, next, () => new GatewayError('VALIDATION_FAILED', message, {}, 408));
}
