import type { ServerResponse } from 'node:http';
import { counter } from '@mgw/telemetry';
import type { FastifyInstance } from 'fastify';
import { holderOf } from './caller';
import { disconnect } from './response-end';

/** Smaller responses fit the socket buffers, so they are not tracked. */
const TRACKED_FROM = 4 * 1024;
/** Maximum number of bytes of unread responses in memory. */
const MAX_BYTES = 16 * 1024 * 1024;

const cut = counter('mgw_http_slow_readers_cut_total', 'Connections closed because too many bytes waited for slow readers', []);

interface Pending {
  holder: string;
  bytes: number;
}

/** Bounds the bytes of unread responses. Over the limit, the holder with the most unread bytes loses its oldest response (guarantees N1). */
export class SlowReaders {
  private readonly pending = new Map<ServerResponse, Pending>();
  private waiting = 0;

  constructor(private readonly most = MAX_BYTES) {}

  track(response: ServerResponse, holder: string, bytes: number): void {
    if (response.destroyed) return;
    this.pending.set(response, { holder, bytes });
    this.waiting += bytes;
    const taken = () => this.drop(response);
    response.once('finish', taken).once('close', taken);
    while (this.waiting > this.most) this.cutOne();
  }

  private drop(response: ServerResponse): void {
    const { bytes = 0 } = this.pending.get(response) ?? {};
    if (this.pending.delete(response)) this.waiting -= bytes;
  }

  private cutOne(): void {
    const totals = new Map<string, number>();
    for (const { holder, bytes } of this.pending.values()) totals.set(holder, (totals.get(holder) ?? 0) + bytes);
    const [[greediest] = ['']] = [...totals].sort(([, one], [, other]) => other - one);
    // A Map keeps insertion order, so this is the oldest.
    const [victim] = [...this.pending].find(([, { holder }]) => holder === greediest) ?? [];
    if (!victim) return;
    this.drop(victim);
    cut.inc({});
    disconnect(victim);
  }
}

export function boundSlowReaders(fastify: FastifyInstance): void {
  const readers = new SlowReaders();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : 0;
    if (bytes > TRACKED_FROM) readers.track(reply.raw, holderOf(request), bytes);
    done();
  });
}
