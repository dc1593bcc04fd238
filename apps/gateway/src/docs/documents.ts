import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ERRORS_PATH } from '../errors/help-link';

interface Document {
  path: string;
  name: string;
  about: string;
  /** Its source in the repository. */
  file?: string;
}

/** The gateway's own documentation: for the navigation, for llms.txt, and for links between the guides. */
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

/** The folder of the repository or the image: one level higher seen from the build than from the source. */
export const ROOT =
  [join(__dirname, '../../../..'), join(__dirname, '../../../../..')].find((folder) => existsSync(join(folder, 'docs/guides.md'))) ?? '';

/** @param file its path in the repository */
export const documentText = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A guide with links to the paths that the gateway serves. A link to any other file becomes its name. */
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
