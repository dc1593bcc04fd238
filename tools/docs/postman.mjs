// docs/api/postman-collection.json (Postman collection 2.1) from docs/api/openapi.json: node postman.mjs [--write]
import { readFileSync, writeFileSync } from 'node:fs';
import { formatted } from './formatted.mjs';

process.chdir(`${import.meta.dirname}/../..`);
const FILE = 'docs/api/postman-collection.json';
const REST = '/api/v1';
const document = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
const [{ url: siteUrl }] = document.servers;

function collection() {
  return {
    info: {
      name: document.info.title,
      description:
        'Set the variable `api_key`. The folders for people at the dashboard take a login instead: send "Log in" first, Postman keeps its cookie.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [text('key', 'X-API-Key'), text('value', '{{api_key}}'), text('in', 'header')],
    },
    variable: [text('base_url', `${siteUrl}${REST}`), text('site_url', siteUrl), text('api_key', '')],
    item: document.tags.map(folder),
  };
}

const text = (key, value) => ({ key, value, type: 'string' });

function folder({ name, description }) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const ours = operations.filter(({ operation }) => operation.tags.includes(name));
  const hasKey = ours.every(({ path }) => path.startsWith(REST));
  return { name, description, ...(!hasKey && { auth: { type: 'noauth' } }), item: ours.map(item) };
}

function item({ path, method, operation }) {
  const { summary, description, parameters, requestBody } = operation;
  // A write by session needs a content type even without a body.
  const isWrite = method !== 'get' && method !== 'delete';
  const file = requestBody?.content['*/*']?.example;
  const request = {
    method: method.toUpperCase(),
    header: [
      ...(isWrite ? [{ key: 'Content-Type', value: file === undefined ? 'application/json' : 'text/plain' }] : []),
      ...parametersIn('header', parameters),
    ],
    url: url(path, parameters),
    ...(file !== undefined && { body: { mode: 'raw', raw: file, options: { raw: { language: 'text' } } } }),
    ...(requestBody &&
      file === undefined && {
        body: { mode: 'raw', raw: JSON.stringify(exampleOf(requestBody), null, 2), options: { raw: { language: 'json' } } },
      }),
    ...(description && { description }),
  };
  return { name: summary, request };
}

/** @throws Error for a body without an example, because the API refuses an empty body */
function exampleOf({ content }) {
  const name = content['application/json'].schema.$ref.split('/').pop();
  const { example } = document.components.schemas[name];
  if (!example) throw new Error(`${name} has no example`);
  return example;
}

function url(path, parameters) {
  const isRest = path.startsWith(REST);
  const [host, tail] = isRest ? ['{{base_url}}', path.slice(REST.length)] : ['{{site_url}}', path];
  const steps = tail.slice(1).replace(/\{(\w+)\}/g, ':$1');
  const query = parametersIn('query', parameters).map((one) => ({ ...one, value: encodeURIComponent(one.value) }));
  const asked = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  const variable = parametersIn('path', parameters).map(({ key, value, description }) => ({
    key,
    value,
    ...(description && { description }),
  }));
  return {
    raw: `${host}/${steps}${asked.length > 0 ? `?${asked.join('&')}` : ''}`,
    host: [host],
    path: steps.split('/'),
    ...(query.length > 0 && { query }),
    ...(variable.length > 0 && { variable }),
  };
}

/** Disables parameters without an example. */
function parametersIn(place, parameters) {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, example, description, schema }) => ({
      key: name,
      value: String(example ?? ''),
      ...((description ?? schema.description) && { description: description ?? schema.description }),
      ...(example === undefined && { disabled: true }),
    }));
}

const made = await formatted(FILE, JSON.stringify(collection()));
if (process.argv.includes('--write')) writeFileSync(FILE, made);
else if (made !== readFileSync(FILE, 'utf8')) {
  console.error(`${FILE} differs from the document. Run: npm run openapi`);
  process.exit(1);
}
