import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

/** The request that causes an audit entry. */
export interface Origin {
  ip: string;
  request_id: string;
}

const origins = new AsyncLocalStorage<Origin>();

/** The origin of the current request; null for requests without audit entries. */
export const currentOrigin = (): Origin | null => origins.getStore() ?? null;

const AUDITED = /^\/api\/(client|admin|v1\/(webhooks|suppressions|broadcasts))(\/|$)/;

/** Keeps each request's address and id for the entries that its handler adds, so that no caller has to pass them on. */
export function trackOrigins(fastify: FastifyInstance): void {
  // Not earlier: reading the body loses the async context.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (AUDITED.test(request.routeOptions.url ?? '')) origins.run({ ip: request.ip, request_id: request.id }, done);
    else done();
  });
}
