import type { FastifyInstance } from 'fastify';

interface ChatRequest {
  model?: unknown;
  messages?: { role?: unknown; content?: unknown }[];
}

/**
 * A language model with OpenAI's API, so that auto-reply works out of the box. It repeats the last message. `model-401`, `model-500`,
 * `model-hangs` or `model-garbage` in the message cause that failure.
 */
export function modelRoutes(app: FastifyInstance): void {
  app.post('/__model/v1/chat/completions', async (request, reply) => {
    const { model, messages } = (request.body ?? {}) as ChatRequest;
    if (typeof model !== 'string' || !Array.isArray(messages) || messages.length === 0)
      return reply.status(400).send({ error: { message: 'model and messages are required', type: 'invalid_request_error' } });
    const prompt = String(messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '');
    if (prompt.includes('model-401')) return reply.status(401).send({ error: { message: 'wrong key', type: 'invalid_request_error' } });
    if (prompt.includes('model-500')) return reply.status(500).send({ error: { message: 'overloaded', type: 'server_error' } });
    if (prompt.includes('model-hangs')) return reply.hijack();
    if (prompt.includes('model-garbage')) return reply.type('text/html').send('<html>');
    const content = `You wrote: "${prompt}". A person will be with you soon.`;
    return {
      id: `chatcmpl-${Date.now().toString(36)}`,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1_000),
      model,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    };
  });
}
