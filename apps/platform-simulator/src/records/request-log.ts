import { Type, type Static } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';

export const LoggedRequest = Type.Object({
  at: Type.String(),
  method: Type.String(),
  path: Type.String(),
  /** 0 for a cut connection. */
  status: Type.Integer(),
  /** For a file, its number of bytes. */
  body: Type.Unknown(),
  response: Type.Unknown(),
});
export type LoggedRequest = Static<typeof LoggedRequest>;

const MAX = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The approximate size of an entry without the request's body. */
const ENTRY_BYTES = 1_000;

/** Requests of integrations with their responses: the newest 20,000, or as many as fit into 64 MB. */
export class RequestLog {
  private entries: { entry: LoggedRequest; size: number }[] = [];
  private size = 0;

  add(request: FastifyRequest, status: number, response: unknown): void {
    const path = request.url.split('?')[0] ?? '';
    const isFile = Buffer.isBuffer(request.body);
    const body = isFile ? { bytes: (request.body as Buffer).length } : (request.body ?? null);
    const size = ENTRY_BYTES + (isFile ? 0 : Number(request.headers['content-length'] ?? 0));
    this.keep({ at: new Date().toISOString(), method: request.method, path, status, body, response }, size);
  }

  /** The newest requests, oldest first. */
  last(limit: number): LoggedRequest[] {
    return this.entries.slice(-limit).map(({ entry }) => entry);
  }

  clear(): void {
    this.entries = [];
    this.size = 0;
  }

  state(): LoggedRequest[] {
    return this.last(MAX);
  }

  restore(state: LoggedRequest[]): void {
    this.clear();
    for (const entry of state) this.keep(entry, ENTRY_BYTES + JSON.stringify(entry.body).length);
  }

  private keep(entry: LoggedRequest, size: number): void {
    this.entries.push({ entry, size });
    this.size += size;
    if (this.entries.length <= MAX * 1.1 && this.size <= MAX_BYTES) return;
    // Drops many entries together, because each removal at the front moves the whole array.
    let first = Math.max(0, this.entries.length - MAX);
    let left = this.entries.slice(first).reduce((sum, one) => sum + one.size, 0);
    while (left > MAX_BYTES * 0.9) left -= this.entries[first++]?.size ?? 0;
    this.entries = this.entries.slice(first);
    this.size = left;
  }
}
