import { ReceivePlatformWebhook, VerifyPlatformHandshake } from '@mgw/contracts';
import type { RpcClient } from '@mgw/rpc';
import type { Logger } from '@mgw/telemetry';
import type { FastifyInstance } from 'fastify';

const PATH = '/webhooks/whatsapp';
/** Platform §4.2. */
const BODY_LIMIT = 3 * 1024 * 1024;
/** Of callbacks that wait for their answer, in bytes: each is held here several times over. One more is answered 503, and comes again. */
const MOST_BYTES = 32 * 1024 * 1024;
/** The platform tries again when it hears nothing. */
const ANSWER_WITHIN_MS = 8_000;

/**
 * The platform's callback (product §4). Its own corner of the server, because the body is kept as the bytes that were signed
 * and may be larger than the API's.
 */
export function platformWebhookRoutes(server: FastifyInstance, rpc: RpcClient, logger: Logger): void {
  let bytesUnderWay = 0;
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));

    scope.get<{ Querystring: Record<string, string> }>(PATH, async ({ query }, reply) => {
      const [mode, token, challenge] = ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) => String(query[name] ?? ''));
      const { accepted } = await rpc.call(VerifyPlatformHandshake, { mode: mode ?? '', verify_token: token ?? '' });
      return reply
        .status(accepted ? 200 : 403)
        .type('text/plain')
        .send(accepted ? challenge : 'Forbidden');
    });

    scope.post(PATH, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const signature = request.headers['x-hub-signature-256'];
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      if (bytesUnderWay + body.length > MOST_BYTES) throw new Error('the callbacks under way are as many bytes as may be');
      bytesUnderWay += body.length;
      try {
        const call = { body_base64: body.toString('base64'), signature: typeof signature === 'string' ? signature : null };
        const context = { requestId: request.id, deadlineAt: Date.now() + ANSWER_WITHIN_MS };
        const { status } = await rpc.call(ReceivePlatformWebhook, call, context);
        return reply.status(status).send({ success: status === 200 });
      } finally {
        bytesUnderWay -= body.length;
      }
    });

    scope.setErrorHandler((error: Error & { statusCode?: number; status?: number }, request, reply) => {
      logger.warn({ err: error, request_id: request.id }, 'a callback of the platform was not taken; it comes again');
      void reply.status(error.statusCode === 413 ? 413 : 503).send({ success: false });
    });
  });
}
