import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RpcClient } from '@mgw/rpc';
import { nestOptions } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import type { FastifyInstance } from 'fastify';
import { dashboardRoutes } from '../dashboard/dashboard.routes';
import { GatewayConfig } from '../gateway.config';
import { platformWebhookRoutes } from '../platform/platform-webhook.routes';
import { configureHttp } from './configure-http';
import { HEAD_LIMIT, refuseBytes, refuseUrl, REQUEST_WITHIN_MS } from '../http/malformed';
import { BODY_LIMIT } from '../http/read-body';
import { requestId } from '../http/request-id';

/** Who is over the time of a request is looked for this often, so that it is 15 s at most (guarantees §9). */
const SLOW_CLIENTS_EVERY_MS = 1_000;

/** A connection on which nothing moves for this long is closed: nothing is answered later than 30 s, and event streams beat every 15 s. */
const SILENT_WITHIN_MS = 60_000;

export function fastifyAdapter({
  trustedProxies,
  maxConnections,
}: Pick<GatewayConfig, 'trustedProxies' | 'maxConnections'>): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    // A request without a host is answered in our own words (configure-http.ts).
    http: {
      requireHostHeader: false,
      maxHeaderSize: HEAD_LIMIT,
      headersTimeout: REQUEST_WITHIN_MS,
      connectionsCheckingInterval: SLOW_CLIENTS_EVERY_MS,
    },
    genReqId: requestId,
    frameworkErrors: refuseUrl,
    clientErrorHandler: refuseBytes,
    requestTimeout: REQUEST_WITHIN_MS,
    connectionTimeout: SILENT_WITHIN_MS,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    // Ids of messages are long.
    routerOptions: { maxParamLength: 2_048 },
    // Routes have no schemas of Fastify's: its compilers of them, which it would load at once, are 2 MB.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  const { server } = adapter.getInstance() as unknown as FastifyInstance;
  server.maxConnections = maxConnections;
  // Many short headers cost far more memory than their bytes.
  server.maxHeadersCount = 200;
  // What somebody expects that we do not know is none of our business; Node.js would answer 417 without a word.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  return adapter;
}

function noSchemas(): never {
  throw new Error('bodies are checked by class-validator (configure-http.ts)');
}

/** The gateway's public port. */
export async function startHttp(
  root: Parameters<typeof NestFactory.create>[0],
  config: GatewayConfig,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const adapter = fastifyAdapter(config);
  const app = await NestFactory.create<NestFastifyApplication>(root as Type, adapter, { bodyParser: false, ...nestOptions(logger) });
  configureHttp(app, logger, config.publicUrl);
  platformWebhookRoutes(app.getHttpAdapter().getInstance() as unknown as FastifyInstance, app.get(RpcClient), logger);
  await dashboardRoutes(app.getHttpAdapter().getInstance() as unknown as FastifyInstance);
  await app.listen(config.port, config.host);
  return app;
}
