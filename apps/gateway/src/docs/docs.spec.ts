import { readFileSync } from 'node:fs';
import { get as rawGet, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import request from 'supertest';
import { parse } from 'yaml';
import { ERRORS } from '@mgw/contracts';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { DOCUMENTS } from './documents';

type Json = Record<string, unknown>;
interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { headers?: Json; content: object }> }>>;
  components: { schemas: Record<string, Json & { examples?: object[] }> };
}

const PUBLIC_URL = 'https://gateway.example';
const CODES = Object.keys(ERRORS);
/** Anchors of headings, as Markdown readers make them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s+/g, '-'),
  );

describe('the documentation that the gateway serves', () => {
  let dashboard: Dashboard;
  let document: Document;
  let port: number;
  beforeAll(async () => {
    dashboard = await startDashboard({ publicUrl: PUBLIC_URL });
    const { server } = dashboard.visitor;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    port = (server.address() as AddressInfo).port;
    document = (await http().get('/openapi.json').expect(200)).body as Document;
  });
  afterAll(async () => {
    await new Promise((closed) => dashboard.visitor.server.close(closed));
    await dashboard.close();
  });

  const http = () => request(dashboard.visitor.server);
  const textOf = async (path: string) => {
    const { text, body, headers } = await http().get(path).buffer(true).expect(200);
    // supertest returns types that it cannot parse as bytes.
    return { text: Buffer.isBuffer(body) ? body.toString() : text, headers: headers as Record<string, string | undefined> };
  };

  it.each(CODES)('%s has a page with its meaning, an example and the endpoints that return it', async (code) => {
    const { text, headers } = await textOf(`/docs/errors/${code}`);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'public, max-age=300' });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain(`<h1><code>${code}</code></h1>`);
    expect(text).not.toMatch(/https?:\/\//);
    expect((await textOf('/docs/errors')).text).toContain(`href="/docs/errors/${code}"`);
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { responses }] of Object.entries(methods)) {
        const returns = Object.values(responses).some(({ content }) => new RegExp(`/(REST_)?${code}"`).test(JSON.stringify(content)));
        expect([method, path, text.includes(`<code>${method.toUpperCase()} ${path}</code></a>`)]).toEqual([method, path, returns]);
      }
  });

  it('the page of OVERLOADED names the log line of a damaged key, whose business gets this error for its sends (decision 722)', async () => {
    const line = 'opening the key of erasures of a business failed';
    expect((await textOf('/docs/errors/OVERLOADED')).text).toContain(line);
    const [guide, source] = ['docs/operations.md', 'apps/send/src/people/erased-opt-outs.ts'].map((file) => readFileSync(file, 'utf8'));
    for (const text of [guide, source]) expect(text).toContain(line);
  });

  it('the examples of errors match their schemas in the document', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const shown = Object.entries(document.components.schemas).filter(([name]) => CODES.includes(name.replace('REST_', '')));
    expect(shown.length).toBeGreaterThan(20);
    for (const [name, schema] of shown) {
      const validate = ajv.compile(schema);
      expect([name, schema.examples?.length]).toEqual([name, 1]);
      expect([name, validate(schema.examples?.[0]), validate.errors]).toEqual([name, true, null]);
    }
  });

  it('an unknown error code gets 404 in the common envelope', async () => {
    for (const word of ['NOPE', 'window_closed', 'constructor', '__proto__', 'WINDOW_CLOSED/', 'WINDOW_CLOSED/x', '%00']) {
      const { body } = await http().get(`/docs/errors/${word}`).expect(404);
      expect(body).toMatchObject({ success: false, error_code: 'NOT_FOUND' });
    }
  });

  it('a browser gets the list of all codes for an unknown one, and caches keep neither for the other', async () => {
    const page = await http().get('/docs/errors/NOPE').set('accept', 'text/html,application/xhtml+xml,*/*;q=0.8').expect(404);
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(page.text).toContain('No error has this code.');
    for (const code of CODES) expect(page.text).toContain(`href="/docs/errors/${code}"`);
    expect((await textOf('/docs/errors')).text).not.toContain('No error has this code.');
    const { headers } = await http().get('/docs/errors/NOPE').expect(404);
    expect([headers['content-type'], headers['cache-control']]).toEqual(['application/json; charset=utf-8', 'no-store']);
  });

  it.each([
    ['/docs', '/docs'],
    ['/docs/errors', '/docs/errors'],
    ['/docs/errors/WINDOW_CLOSED', '/docs/errors'],
  ])('%s marks its place in the navigation', async (path, place) => {
    const { text } = await textOf(path);
    expect([...text.matchAll(/<a href="([^"]+)" aria-current="page">/g)].map(([, marked]) => marked)).toEqual([place]);
  });

  it('decision 2: the Link header of every error leads to its page, and its body has no additional member', async () => {
    const { token } = await dashboard.apiKey({ limit: 1 });
    const operator = await dashboard.session('operator', null);
    const withKey = (path: string) => http().post(path).set('x-api-key', token);
    const responses: [string, request.Response][] = [
      ['INVALID_API_KEY', await http().get('/api/v1/health').expect(401)],
      ['VALIDATION_FAILED', await withKey('/api/v1/send-text').send({}).expect(400)],
      ['RATE_LIMITED', await withKey('/api/v1/send-text').send({}).expect(429)],
      ['METHOD_NOT_ALLOWED', await http().get('/api/v1/send-text').expect(405)],
      ['NOT_FOUND', await http().get('/api/v1/nothing').expect(404)],
      ['VALIDATION_FAILED', await http().get('/api/v1/%ff').expect(400)],
      ['NOT_AUTHENTICATED', await http().get('/api/client/me').expect(401)],
      ['VALIDATION_FAILED', await operator.post('/api/admin/businesses', {}).expect(400)],
      ['PERMISSION_DENIED', await operator.get('/api/client/api-keys').expect(403)],
    ];
    for (const [code, { headers, body }] of responses) {
      expect([code, headers['link']]).toEqual([code, `</docs/errors/${code}>; rel="help"`]);
      await http()
        .get(/<([^>]+)>/.exec(headers['link'] as string)?.[1] ?? '')
        .expect(200);
      const allowed = code === 'RATE_LIMITED' ? ['error', 'retry_after_seconds'] : ['details', 'error', 'error_code', 'success'];
      expect([code, Object.keys(body as object).filter((name) => !allowed.includes(name))]).toEqual([code, []]);
    }
    expect((await operator.get('/api/admin/limits').expect(200)).headers['link']).toBeUndefined();
  });

  it('the document lists the Link header for errors only', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(operations.length).toBeGreaterThan(0);
    for (const { responses } of operations)
      for (const [status, { headers = {} }] of Object.entries(responses))
        expect([status, 'Link' in headers]).toEqual([status, !/^[23]/.test(status)]);
  });

  it('openapi.yaml is the same document, and the Postman collection calls this gateway', async () => {
    const { text, headers } = await textOf('/openapi.yaml');
    expect(headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(text).toMatch(/^openapi: 3\.1/);
    expect(parse(text)).toEqual(document);
    const file = readFileSync(join(__dirname, '../../../../docs/api/postman-collection.json'), 'utf8');
    const { body } = await http().get('/postman.json').expect(200);
    expect(body).toEqual(JSON.parse(file.replaceAll('http://localhost:8080', PUBLIC_URL)));
    expect((body as { variable: object[] }).variable).toContainEqual(expect.objectContaining({ key: 'site_url', value: PUBLIC_URL }));
  });

  it('llms.txt has the form of llmstxt.org and lists every document', async () => {
    const { text, headers } = await textOf('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^# [^\n]+\n\n> [^\n]+\n\n(?!#)/);
    for (const section of text.split(/^## /m).slice(1)) expect(section).toMatch(/^[^\n]+\n\n(- \[[^\]]+\]\([^)]+\): [^\n]+\n)+\n?$/);
    for (const { path } of DOCUMENTS.filter(({ path }) => path !== '/llms.txt')) expect(text).toContain(`(${PUBLIC_URL}${path})`);
  });

  it('every link in the documentation leads to a served page', async () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    const texts = new Map<string, string>();
    const read = async (path: string) => {
      const known = texts.get(path) ?? (await textOf(path)).text;
      texts.set(path, known);
      return known;
    };
    const followed = new Set<string>();
    const follow = async (from: string): Promise<void> => {
      const text = await read(from);
      // Paths in texts and samples are not links.
      if (/\.(json|yaml|css|js)$/.test(from)) return;
      const links =
        from.endsWith('.md') || from.endsWith('.txt') ? text.matchAll(/\]\(([^)\s]+)\)/g) : text.matchAll(/(?:href|src)="([^"]+)"/g);
      for (const [, link = ''] of links) {
        const url = new URL(link, `${PUBLIC_URL}${from}`);
        if (url.origin !== PUBLIC_URL || followed.has(url.href)) continue;
        followed.add(url.href);
        const target = await read(url.pathname);
        const operation = /^#tag\/[\w-]+\/([\w-]+)$/.exec(url.hash)?.[1];
        if (operation !== undefined) expect([link, operations]).toEqual([link, expect.arrayContaining([operation])]);
        else if (url.hash) expect([link, anchorsOf(target)]).toEqual([link, expect.arrayContaining([url.hash.slice(1)])]);
        await follow(url.pathname);
      }
    };
    await follow('/docs');
    await follow('/llms.txt');
    expect([...texts.keys()]).toEqual(expect.arrayContaining([...DOCUMENTS.map(({ path }) => path), '/docs/errors/WINDOW_CLOSED']));
  });

  it('guides are served as in the repository, except for links to files that are not served', async () => {
    const { text, headers } = await textOf('/docs/guides.md');
    expect(headers).toMatchObject({ 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'public, max-age=300' });
    expect(headers['ratelimit-limit']).toBeUndefined();
    expect(text).toContain('[openapi.json](/openapi.json)');
    expect(text).toContain('(`docs/operations.md` of the source)');
    const withoutLinks = (page: string) => page.replace(/\]\([^)]*\)|[[\]]| \(`[^`]+` of the source\)/g, '');
    expect(withoutLinks(text)).toBe(withoutLinks(readFileSync(join(__dirname, '../../../../docs/guides.md'), 'utf8')));
  });

  it.each([
    '/docs/../..',
    '/docs/../package.json',
    '/docs/../docs/operations.md',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/..%5cpackage.json',
    '/docs/errors/..%2f..%2fpackage.json',
    '/docs/guides.md%00',
    '/docs/guides.md/',
    '/docs/operations.md',
    '/docs/api/openapi.json',
    '//docs',
  ])('guarantees §9: %s gets 404', async (path) => {
    const response = await new Promise<IncomingMessage>((resolve) => rawGet({ port, host: '127.0.0.1', path }, resolve));
    response.resume();
    expect([path, response.statusCode]).toEqual([path, 404]);
  });
});
