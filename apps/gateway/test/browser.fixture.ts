import type { Server } from 'node:http';
import request, { type Test } from 'supertest';

/** A client of the dashboard API, with or without a session cookie. */
export class Browser {
  constructor(
    readonly server: Server,
    readonly token: string | null,
  ) {}

  get = (path: string) => this.withCookie(request(this.server).get(path));
  post = (path: string, body: object = {}) => this.withCookie(request(this.server).post(path)).send(body);
  put = (path: string, body: object) => this.withCookie(request(this.server).put(path)).send(body);
  patch = (path: string, body: object) => this.withCookie(request(this.server).patch(path)).send(body);
  delete = (path: string, body?: object) => this.withCookie(request(this.server).delete(path)).send(body);
  /** Posts a body of any type unchanged. */
  raw = (path: string, type: string, body: string) => this.withCookie(request(this.server).post(path)).set('content-type', type).send(body);
  /** Posts without a body and without its headers. */
  bare = (path: string) => this.withCookie(request(this.server).post(path));

  private withCookie(test: Test): Test {
    return this.token === null ? test : test.set('cookie', `theme=dark; token=${this.token}`);
  }
}
