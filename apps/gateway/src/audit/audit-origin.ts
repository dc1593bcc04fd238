import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The request that causes an audit entry. */
export interface Origin {
  ip: string;
  request_id: string;
}

const origins = new AsyncLocalStorage<Origin>();

/** The origin of the current request; null for requests without audit entries, and after the response. */
export const currentOrigin = (): Origin | null => origins.getStore() ?? null;

const AUDITED = /^\/api\/(client\/(?!events\/)|admin\/|v1\/(webhooks|suppressions|broadcasts)(\/|$))/;

/**
 * Keeps each request's address and id for the entries that its handler adds, so that no caller has to pass them on. Before Node.js 24 the
 * first use of such a storage makes every promise of the process dearer, and a send cost a third more, so the storage is off while no such
 * request is handled. The live feed stays out, because it has no end and adds no entries.
 */
export function trackOrigins(fastify: FastifyInstance): void {
  const handled = new Set<FastifyRequest>();
  // Not earlier: reading the body loses the async context.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (!AUDITED.test(request.routeOptions.url ?? '')) return done();
    handled.add(request);
    origins.run({ ip: request.ip, request_id: request.id }, done);
  });
  // Comes after the handler, even if the caller has gone. `onResponse` comes as soon as the caller goes.
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    if (handled.delete(request) && handled.size === 0) origins.disable();
    done();
  });
}
