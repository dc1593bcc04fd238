/** The bytes of a callback: in Meta's style, without spaces, or indented. */
type JsonStyle = 'meta' | 'compact' | 'pretty';

/** Integers beyond JavaScript's numbers, which the simulator holds as text (platform §4.6). */
const LONG_INTEGER = /"(message_template_id)":( ?)"(\d+)"/g;

export function writeJson(value: unknown, style: JsonStyle): string {
  const json = JSON.stringify(value, null, style === 'pretty' ? 2 : undefined).replace(LONG_INTEGER, '"$1":$2$3');
  return style === 'meta' ? metaStyle(json) : json;
}

/** Writes characters beyond ASCII as `\uXXXX` and slashes as `\/` (platform §4.2). */
function metaStyle(json: string): string {
  return json
    .replace(/(\\.)|\//g, (_, escaped?: string) => escaped ?? '\\/')
    .replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
