import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RpcClient } from '@mgw/rpc';
import type { Logger } from '@mgw/telemetry';
import type { FastifyInstance } from 'fastify';
import { dashboardRoutes } from '../dashboard/dashboard.routes';
import { GatewayConfig } from '../gateway.config';
import { platformWebhookRoutes } from '../platform/platform-webhook.routes';
import { configureHttp } from './configure-http';
import { refuseBytes, refuseUrl } from './malformed';
import { requestId } from './request-id';

/** Bodies of the API (product decision 5). */
const BODY_LIMIT = 64 * 1024;
/** Headers and body of one request (guarantees §9). */
const REQUEST_WITHIN_MS = 15_000;

export function fastifyAdapter(trustedProxies: string[]): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    genReqId: requestId,
    frameworkErrors: refuseUrl,
    clientErrorHandler: refuseBytes,
    requestTimeout: REQUEST_WITHIN_MS,
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
  const adapter = fastifyAdapter(config.trustedProxies);
  const app = await NestFactory.create<NestFastifyApplication>(root as Type, adapter, { bodyParser: false, logger: ['error', 'warn'] });
  configureHttp(app, logger, config.publicUrl);
  platformWebhookRoutes(app.getHttpAdapter().getInstance() as unknown as FastifyInstance, app.get(RpcClient), logger);
  await dashboardRoutes(app.getHttpAdapter().getInstance() as unknown as FastifyInstance);
  await app.listen(config.port, config.host);
  return app;
}
