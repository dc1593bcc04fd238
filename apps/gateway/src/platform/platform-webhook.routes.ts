import { ReceivePlatformWebhook, VerifyPlatformHandshake } from '@mgw/contracts';
import type { RpcClient } from '@mgw/rpc';
import type { Logger } from '@mgw/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { siteOf } from '../http/caller';
import { isEncoded } from '../http/read-body';
import { untilClosed } from '../http/response-end';
import { CallbackBodies } from './callback-bodies';
import { WrongSignatures } from './wrong-signatures';

/** The address of the platform's callbacks. */
export const PLATFORM_WEBHOOK = '/webhooks/whatsapp';
/** Platform §4.2. */
const BODY_LIMIT = 3 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/** Bytes of bodies in memory. Each body takes about four times its size while it waits for its response. */
const LIMITS = { body: BODY_LIMIT, total: 16 * MEGABYTE, address: 12 * MEGABYTE };
/** A separate budget for addresses that post wrong signatures, so that they cannot use up the budget of others. */
const LIMITS_OF_WRONG_SIGNERS = { body: BODY_LIMIT, total: 6 * MEGABYTE, address: 4 * MEGABYTE };
const SIGNATURE = /^sha256=[0-9a-f]{64}$/i;
/** The platform retries when it gets no response. */
const RESPONSE_WITHIN_MS = 8_000;

/**
 * The platform's callback (spec §12). It has its own Fastify scope, because the body stays the bytes that were signed and may be
 * larger than bodies of the API.
 */
export function platformWebhookRoutes(server: FastifyInstance, rpc: RpcClient, logger: Logger): void {
  const bodies = new CallbackBodies(LIMITS);
  const bodiesOfWrongSigners = new CallbackBodies(LIMITS_OF_WRONG_SIGNERS);
  const wrong = new WrongSignatures();

  const receive = async (request: FastifyRequest, reply: FastifyReply, signature: string): Promise<number> => {
    // A stranger may have all networks of a /48, so they share one turn and one budget.
    const address = siteOf(request.ip);
    const body = await (wrong.isWrongSigner(address) ? bodiesOfWrongSigners : bodies).read(request.raw, address);
    untilClosed(reply.raw, () => body.drop('the caller disconnected'));
    try {
      const context = { requestId: request.id, deadlineAt: Date.now() + RESPONSE_WITHIN_MS };
      const call = () => rpc.call(ReceivePlatformWebhook, { body_base64: body.take().toString('base64'), signature }, context);
      return (await wrong.check(address, body, call, ({ status }) => status === 401)).status;
    } finally {
      body.release();
    }
  };

  const statusOf = async (request: FastifyRequest, reply: FastifyReply): Promise<number> => {
    const signature = request.headers['x-hub-signature-256'];
    if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return 401;
    return isEncoded(request) ? 415 : receive(request, reply, signature);
  };

  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The route reads the body itself, after it has checked the headers.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));

    scope.get<{ Querystring: Record<string, string> }>(PLATFORM_WEBHOOK, async ({ query, ip }, reply) => {
      const closed = new AbortController();
      untilClosed(reply.raw, () => closed.abort());
      const [mode, token, challenge] = ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) => String(query[name] ?? ''));
      const call = () => rpc.call(VerifyPlatformHandshake, { mode: mode ?? '', verify_token: token ?? '' });
      const { accepted } = await wrong.check(siteOf(ip), { bytes: 0, signal: closed.signal }, call, (reply) => !reply.accepted);
      return reply
        .status(accepted ? 200 : 403)
        .type('text/plain')
        .send(accepted ? challenge : 'Forbidden');
    });

    scope.post(PLATFORM_WEBHOOK, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const status = await statusOf(request, reply);
      if (!request.raw.complete) void reply.header('connection', 'close');
      return reply.status(status).send({ success: status === 200 });
    });

    scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      logger.warn({ err: error, request_id: request.id }, 'callback refused; the platform will retry it');
      if (!request.raw.complete) void reply.header('connection', 'close');
      void reply.status(error.statusCode === 413 ? 413 : 503).send({ success: false });
    });
  });
}
