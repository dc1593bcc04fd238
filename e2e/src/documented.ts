import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import type { ApiResponse } from './people';

type Json = Record<string, unknown>;

interface Header {
  $ref?: string;
  required?: boolean;
}
interface Response {
  headers?: Record<string, Header>;
  content?: Record<string, object>;
}
export interface Operation {
  summary: string;
  tags: string[];
  description?: string;
  parameters: { name: string; in: string; example?: string }[];
  /** JSON, or a file of any type. */
  requestBody?: { content: { 'application/json'?: { schema: { $ref: string } } } };
  responses: Record<string, Response>;
  /** The roles of a session that may call. */
  'x-roles'?: string[];
  'x-codeSamples'?: { label: string; source: string }[];
}
interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json & { example?: Json }>; headers: Record<string, Header> };
}

/** Headers that the document must have where a response has them. */
const OWN_HEADERS = ['retry-after', 'idempotency-replayed', 'etag', 'accept-ranges', 'content-range'];

/** A path parameter that is not percent-encoded UTF-8. */
export const MALFORMED = '%zz';

/** The path with values of its parameters. */
export function urlOf(path: string, values: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return value === MALFORMED ? value : encodeURIComponent(value);
  });
}

/** The OpenAPI document and the responses that tests have seen. */
export class Documented {
  private readonly document = JSON.parse(readFileSync(join(__dirname, '../../docs/api/openapi.json'), 'utf8')) as Document;
  private readonly ajv = new Ajv({ strict: false, validateFormats: false });
  private readonly seen = new Set<string>();

  constructor() {
    this.ajv.addSchema({ $id: 'api', ...(closed(this.document) as Document) });
  }

  /** The gateway's address in the examples. */
  get serverUrl(): string {
    return this.document.servers[0]?.url ?? '';
  }

  /** All methods and paths under a prefix. */
  operations(prefix: string): [method: string, path: string, operation: Operation][] {
    return Object.entries(this.document.paths)
      .filter(([path]) => path.startsWith(prefix))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]): [string, string, Operation] => [method, path, operation]),
      );
  }

  /** The example body of an endpoint that takes JSON. @throws Error if it has none */
  example(method: string, path: string): Json | undefined {
    const body = this.document.paths[path]?.[method]?.requestBody?.content['application/json'];
    if (!body) return undefined;
    const name = body.schema.$ref.split('/').pop() ?? '';
    const example = this.document.components.schemas[name]?.example;
    if (!example) throw new Error(`${name} has no example`);
    return example;
  }

  /** Validates a response against the document; undocumented members fail. */
  conforms(method: string, path: string, { status, body, headers }: ApiResponse<unknown>): void {
    const response = this.document.paths[path]?.[method]?.responses[status];
    if (!response) throw new Error(`${method} ${path} documents no ${status}`);
    const { content = {}, headers: promised = {} } = response;
    const sent = headers.get('content-type')?.split(';')[0] ?? '';
    const [documented = ''] = Object.keys(content);
    const type = documented === '*/*' ? documented : sent;
    expect([method, path, status, type]).toEqual([method, path, status, documented]);
    const isRequired = ({ $ref, required }: Header) =>
      required ?? this.document.components.headers[$ref?.split('/').pop() ?? '']?.required ?? false;
    const missing = Object.entries(promised).filter(([name, header]) => isRequired(header) && !headers.has(name));
    expect([path, status, missing]).toEqual([path, status, []]);
    const known = new Set(Object.keys(promised).map((name) => name.toLowerCase()));
    expect([path, status, OWN_HEADERS.filter((name) => headers.has(name) && !known.has(name))]).toEqual([path, status, []]);
    if (documented !== '') {
      const steps = ['paths', path, method, 'responses', String(status), 'content', type, 'schema'];
      const validate = this.ajv.getSchema(
        `api#/${steps.map((step) => encodeURIComponent(step.replaceAll('/', '~1'))).join('/')}`,
      ) as ValidateFunction;
      expect([path, status, validate(body) ? null : [validate.errors, body]]).toEqual([path, status, null]);
    }
    this.seen.add(`${method} ${path} ${status}`);
  }

  /** Documented responses under a prefix that no test saw, without `default` (internal errors). @param except further statuses to skip */
  unseen(prefix: string, except: string[] = []): string[] {
    return this.operations(prefix)
      .flatMap(([method, path, { responses }]) => Object.keys(responses).map((status) => [status, `${method} ${path} ${status}`] as const))
      .filter(([status, one]) => !['default', ...except].includes(status) && !this.seen.has(one))
      .map(([, one]) => one);
  }
}

/** The same schemas, closed against undocumented members. */
function closed(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closed);
  const copy = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, closed(member)]));
  const isObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isObject ? { ...copy, additionalProperties: false } : copy;
}
