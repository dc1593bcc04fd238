import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayError } from '@mgw/contracts';
import { histogram, type Logger } from '@mgw/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { trackOrigins } from '../audit/audit-origin';
import { docsRoutes } from '../docs/docs.routes';
import { ErrorFilter } from '../errors/error.filter';
import { GatewayConfig } from '../gateway.config';
import { Draining } from '../http/draining';
import { BODY_LIMIT, bodyLimitOf, readBodies } from '../http/read-body';
import { logRequests } from '../http/request-line';
import { closeWaitingResponses } from '../http/response-end';
import { paceResponses } from '../http/response-pace';
import { shareConnections } from '../http/shares';
import { boundSlowReaders } from '../http/slow-readers';
import { traceRequests } from '../http/traces';
import { closeUnusedConnections } from '../http/unused-connections';
import { LoginService } from '../login/login.service';
import { oidcRoutes } from '../login/oidc.routes';
import { OidcService } from '../login/oidc.service';
import { openApiDocument } from '../openapi/document';
import { PLATFORM_WEBHOOK } from '../platform/platform-webhook.routes';
import { RequestLog } from '../request-log/request-log.service';
import { RequestPipe } from '../requests/request.pipe';

interface Route {
  method: string;
  path: RegExp;
}

/** The methods of each path, for 405 instead of 404 (decision 4). Collects the routes that are added after it. */
class KnownRoutes {
  private readonly routes: Route[] = [];

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ method, url }) => {
      const path = new RegExp(
        `^${url
          .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
          .replace(/:\w+/g, '[^/]+')
          .replace(/\*/g, '.+')}$`,
      );
      for (const one of [method].flat()) this.routes.push({ method: one, path });
    });
  }

  /** @param url may have a query */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0] ?? '';
    return [...new Set(this.routes.filter((route) => route.path.test(path)).map(({ method }) => method))];
  }
}

const duration = histogram('mgw_http_duration_seconds', 'Requests of the public port', ['method', 'route', 'status']);

/** Adds what all routes share, and the documentation. Call it before the application listens or is initialised. */
export function configureHttp(app: NestFastifyApplication, logger: Logger, publicUrl: string): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const filter = new ErrorFilter(logger);
  const routes = new KnownRoutes(fastify);
  closeWaitingResponses(fastify);
  logRequests(fastify, logger);
  shareConnections(fastify, app.get(GatewayConfig));
  closeUnusedConnections(fastify);
  traceRequests(fastify);
  trackOrigins(fastify);
  fastify.addHook('onRoute', (route) => {
    const limit = bodyLimitOf(route.url);
    if (limit > BODY_LIMIT) route.bodyLimit = limit;
  });
  app.useGlobalFilters(filter);
  app.useGlobalPipes(new RequestPipe());
  readBodies(fastify);
  boundSlowReaders(fastify);
  // Last, so that a response that waits holds no body and counts as unread.
  paceResponses(fastify, PLATFORM_WEBHOOK);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    done(withoutHost(request) ?? (request.is404 ? wrongMethod(routes, request, reply) : undefined));
  });
  const draining = app.get(Draining);
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (draining.active) void reply.header('connection', 'close');
    done();
  });
  oidcRoutes(fastify, app.get(OidcService), app.get(LoginService), app.get(GatewayConfig).production);
  docsRoutes(fastify, openApiDocument(app.get(ModulesContainer), publicUrl), publicUrl);
  const requestLog = app.get(RequestLog);
  fastify.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode >= 400) requestLog.add(request, reply);
    const route = request.routeOptions.url ?? 'unknown';
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
}

/** RFC 9112 §3.2. */
function withoutHost({ headers, raw }: FastifyRequest): GatewayError | undefined {
  if (headers.host !== undefined || raw.httpVersion === '1.0') return undefined;
  return new GatewayError('VALIDATION_FAILED', 'The request names no host.');
}

/** 405 when the path takes other methods. */
function wrongMethod(routes: KnownRoutes, { url, method }: FastifyRequest, reply: FastifyReply): GatewayError | undefined {
  const allowed = routes.methodsOf(url);
  if (allowed.length === 0 || allowed.includes(method)) return undefined;
  // RFC 9110 §15.5.6.
  void reply.header('allow', allowed.join(', '));
  return new GatewayError('METHOD_NOT_ALLOWED', `This path takes ${allowed.join(', ')}.`);
}
