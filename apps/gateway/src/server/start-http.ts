import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RpcClient, type RpcServer } from '@mgw/rpc';
import { nestOptions } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import type { FastifyInstance } from 'fastify';
import { dashboardRoutes } from '../dashboard/dashboard.routes';
import { GatewayConfig } from '../gateway.config';
import { HEAD_LIMIT, refuseBytes, refuseUrl, REQUEST_WITHIN_MS } from '../http/malformed';
import { BODY_LIMIT } from '../http/read-body';
import { platformWebhookRoutes } from '../platform/platform-webhook.routes';
import { configureHttp } from './configure-http';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The caller's id if it is a short plain token, else a new one (decision 3). */
function requestId({ headers }: IncomingMessage): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : randomUUID();
}

/** How often Node.js checks request timeouts: with REQUEST_WITHIN_MS a request ends after 15 s at most (guarantees §9). */
const SLOW_CLIENTS_EVERY_MS = 1_000;

/** Closes idle connections. Every response comes within 30 s, and event streams send a heartbeat every 4 s. */
const SILENT_WITHIN_MS = 60_000;

export function fastifyAdapter({
  trustedProxies,
  maxConnections,
}: Pick<GatewayConfig, 'trustedProxies' | 'maxConnections'>): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    // configure-http.ts responds to a request without a host, with the common envelope.
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
    // Endpoints check their parameters; the router would refuse a long one as badly encoded.
    routerOptions: { maxParamLength: HEAD_LIMIT },
    // No route has a Fastify schema. Loading the compilers for them would take 2 MB.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  const { server } = adapter.getInstance() as unknown as FastifyInstance;
  server.maxConnections = maxConnections;
  // Many short headers take far more memory than their bytes.
  server.maxHeadersCount = 200;
  // Ignore an unknown Expect header; Node.js would respond 417 without a body.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  return adapter;
}

function noSchemas(): never {
  throw new Error('class-validator checks bodies (configure-http.ts)');
}

/** The gateway's public port, and its handlers of other services' requests. */
export async function startHttp(
  root: Parameters<typeof NestFactory.create>[0],
  config: GatewayConfig,
  logger: Logger,
  requests: RpcServer,
): Promise<NestFastifyApplication> {
  const adapter = fastifyAdapter(config);
  const app = await NestFactory.create<NestFastifyApplication>(root as Type, adapter, { bodyParser: false, ...nestOptions(logger) });
  const server = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  configureHttp(app, logger, config.publicUrl);
  platformWebhookRoutes(server, app.get(RpcClient), logger);
  await dashboardRoutes(server);
  app.connectMicroservice({ strategy: requests });
  await app.startAllMicroservices();
  await app.init();
  try {
    // Nest's own listen would log the error too.
    await server.listen({ port: config.port, host: config.host });
  } catch (error) {
    // Background work has started: it would outlive the connections and log errors that hide the reason.
    await app.close();
    throw new Error(`GATEWAY_HOST, GATEWAY_PORT: ${(error as Error).message}`, { cause: error });
  }
  return app;
}
