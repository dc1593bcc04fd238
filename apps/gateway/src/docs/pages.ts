import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS } from './documents';

/** The build copies this folder beside the compiled code. */
const FOLDER = join(__dirname, 'pages');
export const ASSETS = join(FOLDER, 'assets');

interface View {
  [name: string]: string | View[];
}

/**
 * Fills a file of `pages/` as Mustache would: `{{#list}}…{{/list}}` repeats, `{{&name}}` inserts HTML, `{{name}}` inserts escaped text
 * with its backticks as code.
 */
export function filled(file: string, view: View): string {
  return fill(readFileSync(join(FOLDER, file), 'utf8'), view, file.endsWith('.html') ? html : (text) => text);
}

/** @param place the path that the navigation marks @param file the body of the page, in `pages/` */
export function htmlPage(place: string, title: string, file: string, view: View = {}): string {
  const documents = DOCUMENTS.map(({ path, name }) => ({ path, name, current: path === place ? 'aria-current="page"' : '' }));
  return filled('layout.html', { title, documents, body: filled(file, view) });
}

/** The list of llmstxt.org. @param publicUrl the public address of the gateway */
export function llmsText(publicUrl: string): string {
  const absolute = (path: string) => new URL(path, publicUrl).toString();
  const lines = DOCUMENTS.filter(({ path }) => path !== '/llms.txt').map(({ path, name, about }) => ({
    name,
    url: absolute(path),
    path,
    about,
  }));
  return filled('llms.txt', {
    api: absolute('/api/v1'),
    guides: lines.filter(({ path }) => path.startsWith('/docs/')),
    api_documents: lines.filter(({ path }) => !path.startsWith('/docs/')),
  });
}

function fill(template: string, view: View, encode: (text: string) => string): string {
  return template
    .replace(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, list: string, item: string) =>
      (view[list] as View[]).map((members) => fill(item, members, encode)).join(''),
    )
    .replace(/\{\{(&?)(\w+)\}\}/g, (_, raw: string, name: string) => (raw ? (view[name] as string) : encode(view[name] as string)));
}

const html = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
