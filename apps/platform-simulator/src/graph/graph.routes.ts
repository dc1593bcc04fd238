import type { FastifyInstance, FastifyRequest } from 'fastify';
import { deleteMedia, getMedia, mediaRoutes } from './media.routes';
import { tokenOf, type ById } from './access';
import { missingObject } from '../graph-error';
import { postMessage } from './messages';
import { businessAccountNode, debugToken, listNumbers, numberNode, subscribedApps } from './nodes';
import { sampleRoutes } from './samples.routes';
import { createTemplate, deleteTemplates, editTemplate, listTemplates, templateNode, unpauseTemplate } from './templates';
import { type SimulatorParts } from '../simulator-parts';

/** The Graph API for integrations, with any `/vN.N` prefix or none (platform §8.1). */
export function graphRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.addHook('preSerialization', async (request, reply, payload) => {
    if (isGraph(request)) parts.requests.add(request, reply.statusCode, payload);
    return payload;
  });
  mediaRoutes(app, parts);
  sampleRoutes(app, parts);
  for (const prefix of ['', '/:version(^v\\d+\\.\\d+$)']) {
    app.post<ById>(`${prefix}/:id/messages`, (request, reply) => postMessage(parts, request, reply));
    app.get<ById>(`${prefix}/:id/message_templates`, async (request) => listTemplates(parts, request));
    app.post<ById>(`${prefix}/:id/message_templates`, async (request) => createTemplate(parts, request));
    app.delete<ById>(`${prefix}/:id/message_templates`, async (request) => deleteTemplates(parts, request));
    app.post<ById>(`${prefix}/:id/unpause`, async (request) => unpauseTemplate(parts, request));
    app.get<ById>(`${prefix}/:id/phone_numbers`, async (request) => listNumbers(parts, request));
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      app.route<ById>({ method, url: `${prefix}/:id/subscribed_apps`, handler: async (request) => subscribedApps(parts, request) });
    app.get(`${prefix}/debug_token`, async (request) => debugToken(parts, request));
    app.get<ById>(`${prefix}/:id`, async (request) => getNode(parts, request));
    app.post<ById>(`${prefix}/:id`, async (request) => editTemplate(parts, request));
    app.delete<ById>(`${prefix}/:id`, async (request) => deleteMedia(parts, request));
  }
}

function isGraph(request: FastifyRequest): boolean {
  return !request.url.startsWith('/__');
}

function getNode(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const { id } = request.params;
  tokenOf(parts, request);
  if (parts.accounts.byNumber(id)) return numberNode(parts, request);
  if (parts.accounts.byBusinessAccount(id)) return businessAccountNode(parts, request);
  if (parts.accounts.byTemplate(id)) return templateNode(parts, request);
  if (parts.media.get(id)) return getMedia(parts, request);
  throw missingObject(id);
}
