import type { FastifyRequest } from 'fastify';
import { Type } from '@sinclair/typebox';
import type { GraphTemplate } from '@mgw/platform-api';
import type { Account } from '../accounts/accounts';
import { envelope } from '../callbacks/envelope';
import { accountFor, businessAccountFor, pick, type ById } from './access';
import { GraphFailure, missingObject } from '../graph-error';
import { withSamples } from './samples.routes';
import { checkShape, strict } from './shape';
import { Category, Components, readComponents, TemplateDraft } from './template-draft';
import { type SimulatorParts } from '../simulator-parts';

/** The bound of an unverified account (platform §3.1). */
const MAX_TEMPLATES = 250;
const PAGE = 25;
const MAX_PAGE = 1_000;
const USUAL = ['name', 'parameter_format', 'components', 'language', 'status', 'category'];

/** A template whose name has this suffix starts with this status (platform §8.3). */
const STARTS: [RegExp, string][] = [
  [/_paused$/, 'PAUSED'],
  [/_disabled$/, 'DISABLED'],
  [/_rejected$/, 'REJECTED'],
];

/** `GET /{business_account_id}/message_templates` (platform §3.1). */
export function listTemplates(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const { templates } = businessAccountFor(parts, request);
  const { name, name_or_content, status, language, category, after, before, fields } = request.query;
  const limit = Math.min(Math.max(1, Number(request.query['limit']) || PAGE), MAX_PAGE);
  const wanted = templates.filter(
    (template) =>
      (!name || template.name === name) &&
      (!name_or_content || JSON.stringify([template.name, template.components]).includes(name_or_content)) &&
      (!status || template.status === status) &&
      (!language || template.language === language) &&
      (!category || template.category === category),
  );
  const start = before ? Math.max(0, placeOf(before) - limit) : after ? placeOf(after) : 0;
  const end = Math.min(start + limit, wanted.length);
  const cursor = (at: number) => Buffer.from(String(at)).toString('base64url');
  const page = (name: 'after' | 'before', at: number) => {
    const url = new URL(request.url, siteOf(request));
    for (const old of ['after', 'before']) url.searchParams.delete(old);
    url.searchParams.set(name, cursor(at));
    return url.href;
  };
  const paging = {
    cursors: { before: cursor(start), after: cursor(end) },
    ...(end < wanted.length && { next: page('after', end) }),
    ...(start > 0 && { previous: page('before', start) }),
  };
  return { data: wanted.slice(start, end).map((template) => pick(nodeOf(template), 'WhatsAppMessageTemplate', fields, USUAL)), paging };
}

const siteOf = ({ protocol, host }: FastifyRequest<ById>) => `${protocol}://${host}`;

function placeOf(cursor: string): number {
  const place = Number(Buffer.from(cursor, 'base64url').toString());
  if (!Number.isInteger(place) || place < 0) throw new GraphFailure(100, 'Invalid cursors values');
  return place;
}

/** `GET /{template_id}`. */
export function templateNode(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const { template } = templateFor(parts, request);
  return pick(nodeOf(template), 'WhatsAppMessageTemplate', request.query['fields'], USUAL);
}

function nodeOf(template: GraphTemplate): Record<string, unknown> {
  const rejected_reason = template.status === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE';
  return {
    sub_category: undefined,
    previous_category: undefined,
    correct_category: undefined,
    message_send_ttl_seconds: undefined,
    library_template_name: undefined,
    quality_score: { score: 'UNKNOWN' },
    rejected_reason,
    ...template,
  };
}

/** `POST /{business_account_id}/message_templates`: the template is PENDING, unless its name has a suffix. */
export function createTemplate(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const account = businessAccountFor(parts, request);
  const { name, language, category, parameter_format, components } = checkShape(TemplateDraft, request.body ?? {}, '');
  if (account.templates.some((one) => one.name === name && one.language === language))
    throw new GraphFailure(100, 'Invalid parameter', { subcode: 2388024, details: 'Content in this language already exists' });
  if (account.templates.length >= MAX_TEMPLATES)
    throw new GraphFailure(100, 'Invalid parameter', {
      subcode: 2388019,
      details: `The account already has ${MAX_TEMPLATES} templates, the maximum`,
    });
  const template = {
    id: parts.accounts.newTemplateId(),
    name,
    language,
    category,
    status: STARTS.find(([ending]) => ending.test(name))?.[1] ?? 'PENDING',
    parameter_format: parameter_format?.toUpperCase() === 'NAMED' ? ('NAMED' as const) : ('POSITIONAL' as const),
    components: withSamples(parts, { account, site: siteOf(request) }, readComponents(components, category)),
  };
  account.templates.push(template);
  return { id: template.id, status: template.status, category };
}

const TemplateChange = strict({
  category: Type.Optional(Category),
  components: Type.Optional(Components),
  message_send_ttl_seconds: Type.Optional(Type.Integer()),
});

/** `POST /{template_id}`: an edited template is PENDING again. */
export function editTemplate(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const { account, template } = templateFor(parts, request);
  const { category, components } = checkShape(TemplateChange, request.body ?? {}, '');
  if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(template.status))
    throw new GraphFailure(100, 'Invalid parameter', {
      subcode: 2593002,
      details: `A template that is ${template.status} cannot be edited`,
    });
  if (category !== undefined && category !== template.category && template.status === 'APPROVED')
    throw new GraphFailure(100, 'Invalid parameter', { details: 'The category of an approved template cannot be changed' });
  if (components)
    template.components = withSamples(parts, { account, site: siteOf(request) }, readComponents(components, category ?? template.category));
  template.category = category ?? template.category;
  template.status = 'PENDING';
  return { success: true, id: template.id, name: template.name, category: template.category };
}

/** `POST /{template_id}/unpause`. */
export async function unpauseTemplate(parts: SimulatorParts, request: FastifyRequest<ById>): Promise<unknown> {
  const { account, template } = templateFor(parts, request);
  if (template.status !== 'PAUSED') throw new GraphFailure(100, 'Invalid parameter', { details: 'The template is not paused' });
  await decide(parts, account, template, 'APPROVED');
  return { success: true };
}

/** `DELETE /{business_account_id}/message_templates?name=`: in all languages, or with `hsm_id` one. */
export async function deleteTemplates(parts: SimulatorParts, request: FastifyRequest<ById>): Promise<unknown> {
  const account = businessAccountFor(parts, request);
  const { name, hsm_id: id } = request.query;
  if (name === undefined) throw new GraphFailure(100, 'The parameter name is required.');
  const gone = account.templates.filter((template) => template.name === name && (id === undefined || template.id === id));
  if (gone.length === 0) {
    const details = `The message template with the name ${name} does not exist`;
    throw new GraphFailure(100, 'Invalid parameter', { subcode: 2593002, details });
  }
  account.templates = account.templates.filter((template) => !gone.includes(template));
  await Promise.all(gone.map((template) => decide(parts, account, template, 'DELETED')));
  return { success: true };
}

function templateFor(parts: SimulatorParts, request: FastifyRequest<ById>): { account: Account; template: GraphTemplate } {
  const account = accountFor(parts, request, (id) => parts.accounts.byTemplate(id));
  parts.limits.countManagementCall(account);
  const template = account.templates.find(({ id }) => id === request.params.id);
  if (!template) throw missingObject(request.params.id);
  return { account, template };
}

/** Sets the status of a template and posts it (platform §4.6). */
export async function decide(parts: SimulatorParts, account: Account, template: GraphTemplate, status: string): Promise<void> {
  template.status = status;
  const reason = { DELETED: null, REJECTED: 'INVALID_FORMAT' }[status];
  const value = {
    event: status,
    message_template_id: template.id,
    message_template_name: template.name,
    message_template_language: template.language,
    message_template_category: template.category,
    reason: reason === undefined ? 'NONE' : reason,
    ...(status === 'PAUSED' && { other_info: { title: 'FIRST_PAUSE', description: 'Its quality is low: paused for 3 hours' } }),
    ...(status === 'DISABLED' && { disable_info: { disable_date: Math.floor(parts.clock.now() / 1_000) } }),
  };
  await parts.callbacks.post(account, envelope(account, 'message_template_status_update', value));
}
