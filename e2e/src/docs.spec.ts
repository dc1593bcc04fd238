import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { POSTMAN } from './postman-schema';

const ROOT = join(__dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'libs/client/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const heading = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');

describe('documentation', () => {
  it.each(PAGES)('%s: has no broken link', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : join(dirname(page), file);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && ![...read(target).matchAll(/^#+ (.*)$/gm)].some(([, text = '']) => heading(text) === anchor);
    });
    expect(broken).toEqual([]);
  });

  it('names only constants and metrics that exist', () => {
    const pages = [...PAGES, ...readdirSync(join(ROOT, 'docs/decisions')).map((name) => `docs/decisions/${name}`)];
    const tracked = spawnSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).stdout.split('\n');
    const sources = tracked.filter((path) => path !== '' && existsSync(join(ROOT, path)) && !/\.(md|jpg)$|^docs\/api\//.test(path));
    const words = new Set(sources.flatMap((path) => read(path).match(/\w+/g) ?? []));
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/`([^`\n]+)`/g)].flatMap(([, text = '']) =>
        (text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\bmgw_\w+/g) ?? []).map((name) => [page, name] as const),
      ),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(([, name]) => !words.has(name))).toEqual([]);
  });

  describe('operations of the API', () => {
    const { paths } = JSON.parse(read('docs/api/openapi.json')) as { paths: Record<string, object> };

    it('exist with each method and path that a page names', () => {
      const operations = new Set(
        Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)),
      );
      const named = [...PAGES, 'apps/gateway/src/errors/error-texts.ts'].flatMap((page) =>
        [...read(page).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/api\/[^\s`?]+)[^`]*`/g)].map(([, method, path = '']) => [
          page,
          `${method} ${path.replace(/wamid\.…|gw_…/, '{message_id}')}`,
        ]),
      );
      expect(named.length).toBeGreaterThan(20);
      expect(named.filter(([, operation = '']) => !operations.has(operation))).toEqual([]);
    });

    it('are all named by README.md', () => {
      const named = new Set([...read('README.md').matchAll(/(?:`|\/api\/v1\/)([a-z-]+)/g)].map(([, name]) => name));
      const groups = Object.keys(paths).flatMap((path) => /^\/api\/v1\/([a-z-]+)/.exec(path)?.[1] ?? []);
      expect(groups.length).toBeGreaterThan(20);
      expect(groups.filter((group) => !named.has(group))).toEqual([]);
    });
  });

  it('names only commands that exist', () => {
    const commands = PAGES.flatMap((page) => [...read(page).matchAll(/node dist\/(apps\/\S+)\.js/g)].map(([, file = '']) => `${file}.ts`));
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('runs commands in containers through the image’s entry, which loads generated variables', () => {
    const commands = PAGES.flatMap((page) => [
      ...read(page).matchAll(/docker compose(?: --profile \S+)? exec((?: -\S+(?: [A-Z_]+=\S+)?)*) (\S+) ([^\n`]+)/g),
    ]);
    expect(commands.length).toBeGreaterThan(3);
    for (const [line, options = '', service = '', words = ''] of commands) {
      const command = /^node deploy\/docker\/run\.mjs (\S+)/.exec(words)?.[1];
      const app = /APP=(\S+)/.exec(options)?.[1] ?? service;
      const known = ['migrate', 'dead-letters'].includes(command ?? '') || read(`apps/${app}/src/main.ts`).includes(`'${command}':`);
      expect([line, known]).toEqual([line, true]);
    }
  });

  it('has a Postman collection 2.1 that matches the OpenAPI document', () => {
    const run = spawnSync(process.execPath, ['tools/docs/postman.mjs'], { cwd: ROOT, encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([0, '']);
    const validate = new Ajv({ allErrors: true }).compile(POSTMAN);
    validate(JSON.parse(read('docs/api/postman-collection.json')));
    expect(validate.errors).toBe(null);
  });

  it('has the reference of the events that the OpenAPI document has', () => {
    const run = spawnSync(process.execPath, ['tools/docs/events.mjs'], { cwd: ROOT, encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([0, '']);
  });

  it('has a runbook for each alert that names it', () => {
    const alerts = parse(read('deploy/prometheus/alerts.yaml')) as {
      groups: { rules: { alert: string; annotations: { runbook: string } }[] }[];
    };
    const rules = alerts.groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, annotations } of rules) {
      const [page = '', section = ''] = annotations.runbook.split('#');
      const part = read(page)
        .split(/^(?=###? )/m)
        .find((text) => heading(/^###? (.*)$/m.exec(text)?.[1] ?? '') === section);
      expect([alert, part?.includes(`\`${alert}\``)]).toEqual([alert, true]);
    }
  });
});
