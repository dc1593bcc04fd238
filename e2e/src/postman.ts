import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Pair {
  key: string;
  value: string;
  disabled?: boolean;
}
interface PostmanRequest {
  method: string;
  header: Pair[];
  url: { raw: string; variable?: Pair[] };
  body?: { raw: string };
}
interface Collection {
  auth: { apikey: Pair[] };
  item: { name: string; item: { name: string; request: PostmanRequest }[] }[];
}

const collection = JSON.parse(readFileSync(join(__dirname, '../../docs/api/postman-collection.json'), 'utf8')) as Collection;

/** The requests of a folder by name. */
export function postmanRequests(folder: string): [name: string, request: PostmanRequest][] {
  const items = collection.item.find(({ name }) => name === folder)?.item ?? [];
  return items.map(({ name, request }) => [name, request]);
}

/** Builds the request that Postman would send, with the collection's key. @param values of variables, including path variables */
export function resolved({ method, header, url, body }: PostmanRequest, values: Record<string, string>) {
  const filled = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  const auth = Object.fromEntries(collection.auth.apikey.map(({ key, value }) => [key, filled(value)]));
  if (auth['in'] !== 'header') throw new Error(`the key goes into the ${auth['in']}`);
  const path = (url.variable ?? []).reduce(
    (text, { key, value }) => text.replace(`:${key}`, encodeURIComponent(values[key] ?? value)),
    url.raw,
  );
  const enabled = header.filter(({ disabled }) => !disabled).map(({ key, value }): [string, string] => [key, value]);
  return {
    method,
    url: filled(path),
    headers: [...enabled, [auth['key'], auth['value']] as [string, string]],
    ...(body && { body: body.raw }),
  };
}
