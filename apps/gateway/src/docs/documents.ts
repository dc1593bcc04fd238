import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ERRORS_PATH } from '../errors/help-link';

interface Document {
  path: string;
  name: string;
  about: string;
  /** The one in the repository that it is made of, if it is. */
  file?: string;
}

/** What the gateway serves about itself (friendliness F12): for the pages’ navigation, for llms.txt, and for links between the guides. */
export const DOCUMENTS: readonly Document[] = [
  { path: '/docs', name: 'API reference', about: 'every endpoint, to read and to try; needs a browser' },
  {
    path: '/docs/guides.md',
    name: 'Guides',
    about: 'words, first send, free text, codes, broadcasts, limits, going live',
    file: 'docs/guides.md',
  },
  { path: '/docs/webhooks.md', name: 'Webhooks', about: 'every event, and servers that check the signature', file: 'docs/webhooks.md' },
  { path: '/docs/simulator.md', name: 'Simulator', about: 'test numbers and failures to develop against', file: 'docs/simulator.md' },
  { path: ERRORS_PATH, name: 'Errors', about: 'what each error_code means and what to do about it' },
  { path: '/openapi.json', name: 'OpenAPI (JSON)', about: 'every field, error and status, with examples', file: 'docs/api/openapi.json' },
  { path: '/openapi.yaml', name: 'OpenAPI (YAML)', about: 'the same document' },
  { path: '/postman.json', name: 'Postman collection', about: 'the same calls, to import', file: 'docs/api/postman-collection.json' },
  { path: '/llms.txt', name: 'llms.txt', about: 'this list' },
];

/** The repository’s folder, or the image’s: one step further up from the build than from the source. */
const ROOT =
  [join(__dirname, '../../../..'), join(__dirname, '../../../../..')].find((folder) => existsSync(join(folder, 'docs/guides.md'))) ?? '';

/** @param file of the repository */
export const documentText = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A guide whose links to other files lead to where the gateway has them; those that it does not have are named. */
export function guideText(file: string): string {
  return documentText(file).replace(
    /\[([^\]]+)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]+)?\)/g,
    (_, label: string, link: string, anchor = '') => {
      const target = posix.join(posix.dirname(file), link);
      const path = DOCUMENTS.find((document) => document.file === target)?.path;
      return path === undefined ? `${label} (\`${target}\` of the source)` : `[${label}](${path}${anchor})`;
    },
  );
}

/** See llmstxt.org. @param publicUrl how the world reaches the gateway */
export function llmsText(publicUrl: string): string {
  const list = (documents: readonly Document[]) =>
    documents.map(({ path, name, about }) => `- [${name}](${new URL(path, publicUrl).toString()}): ${about}`).join('\n');
  const shown = DOCUMENTS.filter(({ path }) => path !== '/llms.txt');
  return `# Messaging gateway

> Sends WhatsApp Business messages with an API key, follows each from sent to read, and tells what happens as signed webhooks.

The REST API is below ${new URL('/api/v1', publicUrl).toString()}; the key goes into the header \`X-API-Key\`. Free text and media need a customer who wrote
within 24 hours, templates do not. A request that may have to be repeated carries an \`Idempotency-Key\`. Decide on \`error_code\`; the header \`Link\` of
an error leads to its page.

## Guides

${list(shown.filter(({ path }) => path.startsWith('/docs/')))}

## API

${list(shown.filter(({ path }) => !path.startsWith('/docs/')))}
`;
}
