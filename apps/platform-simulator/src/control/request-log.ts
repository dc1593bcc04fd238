import type { FastifyRequest } from 'fastify';

export interface LoggedRequest {
  at: string;
  method: string;
  path: string;
  /** 0: the connection was cut. */
  status: number;
  body: unknown;
  response: unknown;
}

const MAX = 20_000;

/** What integrations asked and were answered, the newest 20,000. */
export class RequestLog {
  private entries: LoggedRequest[] = [];

  add(request: FastifyRequest, status: number, response: unknown): void {
    const path = request.url.split('?')[0] ?? '';
    this.entries.push({ at: new Date().toISOString(), method: request.method, path, status, body: request.body ?? null, response });
    if (this.entries.length > MAX * 1.1) this.entries = this.entries.slice(-MAX);
  }

  /** The newest, oldest first. */
  last(limit: number): LoggedRequest[] {
    return this.entries.slice(-limit);
  }

  clear(): void {
    this.entries = [];
  }
}
