import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import Ajv from 'ajv/dist/2020';
import request from 'supertest';
import { PUBLIC_EVENTS } from '@mgw/contracts';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';

interface Document {
  openapi: string;
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        responses: object;
        parameters: { name: string; in: string; required: boolean; description?: string; schema: { type: string } }[];
        requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
      }
    >
  >;
  webhooks: Record<string, { post: { requestBody: { content: { 'application/json': { example: object } } } } }>;
  components: { schemas: Record<string, { required?: string[]; properties: Record<string, { description?: string }> }> };
}

const FILE = join(__dirname, '../../../../docs/api/openapi.json');
const format = (document: object) => `${JSON.stringify(document, null, 1)}\n`;

describe('the OpenAPI document', () => {
  let dashboard: Dashboard;
  let document: Document;
  beforeAll(async () => {
    dashboard = await startDashboard();
    document = (await request(dashboard.visitor.server).get('/openapi.json').expect(200)).body as Document;
  });
  afterAll(() => dashboard.close());

  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    await SwaggerParser.validate(structuredClone(document) as never);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it('equals docs/api/openapi.json, the source of the types of dashboard and client', () => {
    const shown = { ...document, servers: [{ url: 'http://localhost:8080' }] };
    if (process.env['UPDATE_OPENAPI']) {
      writeFileSync(FILE, format(shown));
      // Generated from the document.
      for (const file of ['postman.mjs', 'events.mjs'])
        spawnSync(process.execPath, [join(__dirname, '../../../../tools/docs', file), '--write'], { stdio: 'inherit' });
    }
    // After an intended change run `npm run openapi`, which writes the files.
    expect(readFileSync(FILE, 'utf8')).toBe(format(shown));
  });

  it('spec §6: has every event, as one of WebhookEvent', () => {
    expect(Object.keys(document.webhooks)).toEqual(PUBLIC_EVENTS);
    const validate = new Ajv({ strict: false }).addSchema(document, 'api').compile({ $ref: 'api#/components/schemas/WebhookEvent' });
    for (const { post } of Object.values(document.webhooks)) {
      const { example } = post.requestBody.content['application/json'];
      expect([validate(example), validate.errors]).toEqual([true, null]);
      expect(validate({ ...example, event: 'message.exploded' })).toBe(false);
      expect(validate({ ...example, data: {} })).toBe(false);
    }
  });

  it('has every endpoint of spec §4, with its fields', () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/api/v1/health',
        '/api/v1/templates',
        '/api/v1/quick-send',
        '/api/v1/send-template',
        '/api/v1/send-text',
        '/api/v1/send-media',
        '/api/v1/send-otp',
        '/api/v1/message-status/{message_id}',
        '/api/client/webhooks',
        '/api/client/webhooks/{id}',
      ]),
    );
    expect(document.components.schemas['SendTemplateRequest']).toMatchObject({
      required: ['phone', 'template_name'],
      properties: {
        phone: { type: 'string' },
        template_name: { type: 'string', minLength: 1, maxLength: 512 },
        language: {},
        body_params: { type: ['array', 'null'], maxItems: 50 },
        header_params: {},
        button_params: {},
      },
    });
    const quick = document.paths['/api/v1/quick-send']?.['get']?.parameters.map(({ name, in: where, required }) => [name, where, required]);
    expect(quick).toEqual([
      ['phone', 'query', true],
      ['template', 'query', false],
      ['lang', 'query', false],
      ['params', 'query', false],
      ['message', 'query', false],
      ['idempotency_key', 'query', false],
      ['dry_run', 'query', false],
      ['Idempotency-Key', 'header', false],
    ]);
  });

  it('decision 46: describes RateLimit-Reset, and the templates that cannot be sent', () => {
    const { responses } = document.paths['/api/v1/templates']?.['get'] as unknown as {
      responses: Record<string, { headers: Record<string, { description: string }> }>;
    };
    expect(responses['200']?.headers['RateLimit-Reset']?.description).toContain('oldest');
    expect(JSON.stringify(document.components.schemas['Templates'])).toContain('GIF');
  });

  it('describes every parameter and every field of a request of the REST API', () => {
    const bare = Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) => Object.values(methods).map((operation) => [path, operation] as const))
      .flatMap(([path, { parameters, requestBody }]) => {
        const name = requestBody?.content['application/json']?.schema.$ref?.split('/').pop() ?? '';
        const fields = Object.entries(document.components.schemas[name]?.properties ?? {});
        const described: [string, { description?: string }][] = [
          ...parameters.map((one) => [one.name, one] as [string, typeof one]),
          ...fields,
        ];
        return described.filter(([, { description }]) => !description).map(([field]) => `${path} ${field}`);
      });
    expect(bare).toEqual([]);
  });

  it('describes every field of the responses that an integration reads first', () => {
    const results = ['Health', 'ConversationByKey', 'MessageStatus', 'DryRunResult', 'SendResult', 'TemplateSendResult', 'QuickSendResult'];
    const names = [...results, 'MediaSendResult', 'InteractiveSendResult', 'OtpSendResult'];
    const bare = names.flatMap((name) =>
      Object.entries(document.components.schemas[name]?.properties ?? { [name]: {} })
        .filter(([field, { description }]) => field !== 'success' && !description)
        .map(([field]) => `${name}.${field}`),
    );
    expect(bare).toEqual([]);
  });

  it('gives the numbers of a query as integers, which clients generate their types from', () => {
    const numbers = ['limit', 'after', 'wait', 'api_key_id', 'user_id', 'business_id'];
    const typed = Object.entries(document.paths)
      // Its position is a time and a number.
      .filter(([path]) => path !== '/api/client/events/stream')
      .flatMap(([, methods]) => Object.values(methods))
      .flatMap(({ parameters }) => parameters)
      .filter((parameter) => parameter.in === 'query' && numbers.includes(parameter.name));
    expect(new Set(typed.map(({ name }) => name))).toEqual(new Set(numbers));
    expect(typed.filter(({ schema }) => schema.type !== 'integer')).toEqual([]);
  });

  it('the reference page loads nothing from elsewhere', async () => {
    const page = await request(dashboard.visitor.server).get('/docs').expect(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/https?:\/\//);
    for (const [, path = ''] of page.text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g))
      await request(dashboard.visitor.server).get(path).expect(200);
  });
});
