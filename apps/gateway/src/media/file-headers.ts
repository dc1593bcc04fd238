/** Types that browsers may show within a page. Others could be pages themselves, with scripts. */
const SHOWN = new Set(['image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'audio/mp4', 'audio/ogg', 'audio/mpeg']);

interface File {
  media_id: string;
  mime_type: string;
  sha256: string;
  filename: string | null;
}

const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w-]+=("[\x20\x21\x23-\x5b\x5d-\x7e]*"|[\w.+-]+))*$/;
export const isMimeType = (text: string): boolean => text.length <= 255 && MIME_TYPE.test(text);

/** Headers that keep a customer's file from running in a browser. */
export function fileHeaders({ media_id, mime_type, sha256, filename }: File) {
  const [bareType = ''] = mime_type.toLowerCase().split(';');
  return {
    'content-type': isMimeType(mime_type) ? mime_type : 'application/octet-stream',
    'content-disposition': `${SHOWN.has(bareType) ? 'inline' : 'attachment'}; ${named(filename ?? media_id)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'accept-ranges': 'bytes',
    etag: `"${sha256}"`,
  };
}

/** Longest name in a header: proxies refuse large heads. */
const MAX_FILENAME = 240;

/** RFC 6266: a name in ASCII for old clients, and the real one. */
function named(name: string): string {
  const filename = name.slice(0, MAX_FILENAME).toWellFormed();
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (ascii === filename) return `filename="${ascii}"`;
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
