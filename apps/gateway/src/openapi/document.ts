import type { Type as Class } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { TSchema } from '@sinclair/typebox';
import { ERRORS, isForSending, type ErrorCode } from '@mgw/contracts';
import { errorBody, namesWait } from '../errors/error-bodies';
import { helpLink } from '../errors/help-link';
import { bodyLimitOf, sizeText } from '../http/read-body';
import { mayBeAbsent } from '../requests/request.pipe';
import { ROLES } from '../sessions/session-user';
import { codeSamples, type SampleCall } from './code-samples';
import { endpointsOf, type Endpoint } from './endpoints';
import { RequestSchemas, type JsonSchema } from './request-schemas';
import { webhooks } from './webhooks';

type Json = Record<string, unknown>;

const TAGS: [string, string, string][] = [
  ['/api/v1', 'REST API', 'For integrations, with an API key.'],
  ['/api/client', 'Dashboard', 'For the users of a business, with the session cookie.'],
  ['/api/admin', 'Operator', 'For operators, with the session cookie.'],
];
/** Numeric path parameters; the others are ids of the platform or phone numbers. */
const OWN_IDS = new Set(['id', 'delivery_id']);
const PATH_EXAMPLES: Record<string, string> = {
  message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgARGBI0QTlGMkMwRTdCNUQxMzY4MEEA',
  phone: '12015550100',
  media_id: '2754859441498128',
  service: 'status',
};
const PATH_TEXTS: Record<string, string> = {
  id: 'The `id` that its creation and the list return.',
  delivery_id: 'The `id` in the list of deliveries.',
  message_id: 'The `message_id` of a send or of an event; raw or percent-encoded.',
  phone: 'A phone number with its country code, as digits or with `%2B` in place of +, or a business-scoped user id.',
  media_id: 'The `media_id` of an upload or of an event `message.received`.',
  service: 'The name of a service.',
};
/** The id in code samples. */
const SAMPLE_ID = '7';
/** A file of the type text/plain. */
const SAMPLE_FILE = 'Order 1007: two metres of silk.';
const LIMIT_HEADERS = {
  'RateLimit-Limit': 'Requests per minute of this key.',
  'RateLimit-Remaining': 'Requests left in this minute.',
  'RateLimit-Reset': 'Seconds until the oldest request of the last minute no longer counts.',
};
const HEADERS = {
  Link: {
    description: 'The page that explains the error and its remedy (RFC 8288).',
    required: true,
    schema: { type: 'string' },
    example: helpLink('WINDOW_CLOSED'),
  },
  'Retry-After': {
    description: 'Seconds until a retry may succeed. Absent when no time is known.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Idempotency-Replayed': {
    description: 'Present when the Idempotency-Key is repeated: this is the response to the first request.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'The SHA-256 of the file in quotes, for `If-None-Match` and `If-Range`.', schema: { type: 'string' } },
  'Accept-Ranges': { description: 'Comes with a file.', schema: { type: 'string', enum: ['bytes'] } },
  'Content-Range': { description: 'The range and the size of the file.', schema: { type: 'string' }, example: 'bytes 0-1023/20480' },
};
const headersNamed = (...names: (keyof typeof HEADERS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The HTTP API as OpenAPI 3.1, generated from the controllers, their request classes and response schemas. */
export function openApiDocument(modules: ModulesContainer, serverUrl: string): Json {
  const requests = new RequestSchemas();
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Json> = {};
  const context: Context = { requests, schemas, serverUrl };
  for (const endpoint of endpointsOf(modules)) (paths[endpoint.path] ??= {})[endpoint.method] = operation(endpoint, context);
  const events = webhooks(schemas);
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Messaging gateway',
      version: '1.0.0',
      description:
        'Sends WhatsApp Business messages with an API key, follows their delivery and manages webhooks. ' +
        'Errors are `{success: false, error, error_code, …}`: decide on `error_code`. The header `Link` of an error leads to its ' +
        'explanation under /docs/errors.',
    },
    servers: [{ url: serverUrl }],
    tags: TAGS.map(([, name, description]) => ({ name, description })),
    paths,
    webhooks: events,
    components: {
      schemas: { ...schemas, ...requests.all() },
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'apikey', description: 'On quick-send only (spec §5.2).' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'token',
          description:
            'POST /api/client/login sets it. A write without a body needs `Content-Type: application/json` too, unless it is a DELETE.',
        },
      },
    },
  };
  return JSON.parse(JSON.stringify(document), plainUnion) as Json;
}

/** Writes literals as `enum`, and a schema or null as one with two types: Scalar rejects some schemas whose members are `anyOf`. */
function plainUnion(_key: string, value: unknown): unknown {
  const { anyOf, ...schema } = (value ?? {}) as { anyOf?: { type?: unknown; const?: unknown; enum?: unknown[] }[] };
  if (!Array.isArray(anyOf)) return value;
  const [first, second] = anyOf;
  if (typeof first?.type !== 'string') return value;
  const literals = anyOf.map((member) => member.const);
  if (!literals.includes(undefined) && anyOf.every(({ type }) => type === first.type))
    return { ...schema, type: first.type, enum: literals };
  if (anyOf.length !== 2 || second?.type !== 'null' || first.const !== undefined) return value;
  return { ...first, ...schema, type: [first.type, 'null'], ...(first.enum && { enum: [...first.enum, null] }) };
}

interface Context {
  requests: RequestSchemas;
  /** Response schemas by name, collected on the way. */
  schemas: Record<string, unknown>;
  serverUrl: string;
}

function operation(endpoint: Endpoint, context: Context): Json {
  const { description, body, path } = endpoint;
  const tag = TAGS.find(([prefix]) => path.startsWith(prefix)) as (typeof TAGS)[number];
  return {
    operationId: `${tag[0].split('/').pop()}-${endpoint.method}-${path.split('/').slice(3).join('-').replace(/[{}]/g, '')}`,
    tags: [tag[1]],
    summary: description.summary,
    ...(endpoint.permission !== undefined && { description: `Needs the permission \`${endpoint.permission}\` or \`*\`.` }),
    ...(endpoint.roles !== undefined && { description: `For ${endpoint.roles.join(', ')}.`, 'x-roles': endpoint.roles }),
    security: securityOf(endpoint),
    parameters: parametersOf(endpoint, context.requests),
    ...(description.takesFile && { requestBody: { required: true, content: { '*/*': { schema: {}, example: SAMPLE_FILE } } } }),
    ...(body && {
      requestBody: {
        description: `At most ${sizeText(bodyLimitOf(path, isAnonymous(endpoint)))}.`,
        required: !mayBeAbsent(body),
        content: json(context.requests.reference(body)),
      },
    }),
    responses: responsesOf(endpoint, context),
    ...(isRest(endpoint) && { 'x-codeSamples': codeSamples(sampleOf(endpoint, context)) }),
  };
}

/** A call of the endpoint with the examples of the document. */
function sampleOf({ method, path, query, body, description }: Endpoint, { requests, serverUrl }: Context): SampleCall {
  const example = (request: Class | undefined) => request && requests.schema(request).example;
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => PATH_EXAMPLES[name] ?? SAMPLE_ID),
    serverUrl,
  );
  url.search = new URLSearchParams(example(query) as Record<string, string> | undefined).toString();
  const file = description.takesFile ? SAMPLE_FILE : undefined;
  return { method: method.toUpperCase(), url: url.toString(), body: example(body), file };
}

const isRest = ({ path }: Endpoint) => path.startsWith('/api/v1/');

const isAnonymous = (endpoint: Endpoint) => securityOf(endpoint).length === 0;

/** Whether the endpoint takes an Idempotency-Key. */
const isRepeatable = ({ permission, description, method }: Endpoint) =>
  description.repeatable ?? (method === 'post' && permission !== undefined && isForSending(permission));

function securityOf(endpoint: Endpoint): Json[] {
  if (endpoint.path === '/api/v1/quick-send') return [{ apiKey: [] }, { apiKeyInQuery: [] }];
  if (isRest(endpoint)) return [{ apiKey: [] }];
  return endpoint.roles ? [{ session: [] }] : [];
}

function parametersOf(endpoint: Endpoint, requests: RequestSchemas): Json[] {
  const { path, query, description } = endpoint;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(name in PATH_TEXTS && { description: PATH_TEXTS[name] }),
    schema: OWN_IDS.has(name) ? { type: 'integer', minimum: 1 } : { type: 'string' },
    ...(name in PATH_EXAMPLES && { example: PATH_EXAMPLES[name] }),
  }));
  const { properties = {}, required = [], example = {} } = query ? requests.schema(query) : ({} as JsonSchema);
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
    ...(name in example && { example: example[name] }),
  }));
  const idempotency = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'A repeated request with the same key within 24 hours gets the same response, and nothing is sent or created twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
  return [...inPath, ...inQuery, ...(isRepeatable(endpoint) ? [idempotency] : []), ...(description.file ? FILE_HEADERS : [])];
}

const FILE_HEADERS = [
  ['If-None-Match', 'The `ETag` of the file that you have. If the file is the same, the response is 304 without its bytes.'],
  ['Range', 'One range of bytes, such as `bytes=0-1023`. Without it the response is the whole file.'],
  ['If-Range', 'The `ETag` of the file that the range belongs to. If it is not the ETag of this file, the response is the whole file.'],
].map(([name, description]) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } }));

function responsesOf(endpoint: Endpoint, { schemas }: Context): Json {
  const { response, contentType, csv, file } = endpoint.description;
  const limits = isRest(endpoint)
    ? Object.entries(LIMIT_HEADERS).map(([name, description]) => [name, { description, required: true, schema: { type: 'integer' } }])
    : [];
  const headers = {
    ...(Object.fromEntries(limits) as Json),
    ...(isRepeatable(endpoint) && headersNamed('Idempotency-Replayed')),
    ...(file && headersNamed('ETag', 'Accept-Ranges')),
  };
  const responses: Json = {
    '200': {
      description: 'Success',
      ...(Object.keys(headers).length > 0 && { headers }),
      content: {
        [contentType ?? 'application/json']: { schema: referenced(schemas, response) },
        ...(csv && { 'text/csv': { schema: { type: 'string' } } }),
        ...(file && { '*/*': { schema: {} } }),
      },
    },
  };
  const invalid = json(named(schemas, 'VALIDATION_FAILED', errorBody('VALIDATION_FAILED', false)));
  if (file) {
    responses['206'] = {
      description: 'The range of the file',
      headers: { ...headers, ...headersNamed('Content-Range') },
      content: { '*/*': { schema: {} } },
    };
    responses['304'] = { description: 'The file is the one that `If-None-Match` names.', headers: headersNamed('ETag') };
    responses['416'] = {
      description: 'VALIDATION_FAILED: the range begins after the file.',
      headers: headersNamed('Link', 'Content-Range'),
      content: invalid,
    };
  }
  for (const [status, codes] of byStatus(errorsOf(endpoint), isRepeatable(endpoint))) {
    const bodies = codes.map((code) => {
      const bare = code === 'RATE_LIMITED' && isRest(endpoint);
      return named(schemas, bare ? 'REST_RATE_LIMITED' : code, errorBody(code, bare));
    });
    responses[status] = {
      description: codes.join(', '),
      headers: headersNamed('Link', ...(codes.some(namesWait) ? (['Retry-After'] as const) : [])),
      content: json(bodies.length === 1 ? (bodies[0] as Json) : { oneOf: bodies }),
    };
  }
  responses['default'] = {
    description: 'A defect, or a service that does not respond. Nothing was sent unless the error states otherwise.',
    headers: headersNamed('Link', 'Retry-After'),
    content: json(named(schemas, 'INTERNAL', errorBody('INTERNAL', false))),
  };
  return responses;
}

/** The errors of the guards, of the request checks, and of the endpoint itself. */
function errorsOf({ path, query, permission, roles, description, method }: Endpoint): ErrorCode[] {
  const rest = path.startsWith('/api/v1/');
  return [
    ...new Set<ErrorCode>([
      ...(rest ? (['INVALID_API_KEY', 'BUSINESS_SUSPENDED', 'IP_NOT_ALLOWED'] as const) : []),
      'RATE_LIMITED',
      ...(roles ? (['NOT_AUTHENTICATED'] as const) : []),
      ...(roles && (method !== 'get' || roles.length < ROLES.length) ? (['PERMISSION_DENIED'] as const) : []),
      ...(roles && roles.length < ROLES.length ? (['TOTP_SETUP_REQUIRED'] as const) : []),
      ...(permission !== undefined && isForSending(permission) ? (['PLAN_NOT_ALLOWED'] as const) : []),
      ...(permission !== undefined ? (['PERMISSION_DENIED'] as const) : []),
      // A path may have bytes that are not percent-encoded UTF-8.
      ...(query || path.includes('{') ? (['VALIDATION_FAILED'] as const) : []),
      // Also endpoints that take no body refuse one that they cannot read.
      ...(method === 'get' ? [] : (['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
      ...(path.includes('{id}') ? (['NOT_FOUND'] as const) : []),
      ...(roles && method === 'get' ? (['QUERY_TIMEOUT'] as const) : []),
      ...description.errors,
    ]),
  ];
}

/** @param repeatable whether the endpoint takes an Idempotency-Key */
function byStatus(codes: ErrorCode[], repeatable: boolean): [string, ErrorCode[]][] {
  const statuses = new Map<string, ErrorCode[]>();
  const add = (status: number, code: ErrorCode) => statuses.set(String(status), [...(statuses.get(String(status)) ?? []), code]);
  for (const code of codes) {
    add(ERRORS[code].status, code);
    // The response to a repeated Idempotency-Key (decision 40).
    if (code === 'OUTCOME_UNKNOWN' && repeatable) add(409, code);
  }
  return [...statuses].sort();
}

/** References the schema, or the members of a union. */
function referenced(schemas: Record<string, unknown>, { anyOf, ...schema }: TSchema): Json {
  const members = anyOf as TSchema[] | undefined;
  return members ? { oneOf: members.map((member) => named(schemas, member.title, member)) } : named(schemas, schema.title, schema);
}

/** References a named schema under `components`; inlines one without a name. */
function named(schemas: Record<string, unknown>, name: string | undefined, schema: object): Json {
  if (name === undefined) return schema as Json;
  schemas[name] ??= schema;
  return { $ref: `#/components/schemas/${name}` };
}

const json = (schema: object): Json => ({ 'application/json': { schema } });
