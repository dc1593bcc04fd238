/** How the bytes of a webhook look: as Meta writes them, without spaces, or indented. */
export type JsonStyle = 'meta' | 'compact' | 'pretty';

/** Members that are integers beyond what a JavaScript number holds (platform §4.6): kept as text until here. */
const LONG_INTEGER = /"(message_template_id)":( ?)"(\d+)"/g;

export function writeJson(value: unknown, style: JsonStyle): string {
  const json = JSON.stringify(value, null, style === 'pretty' ? 2 : undefined).replace(LONG_INTEGER, '"$1":$2$3');
  return style === 'meta' ? metaStyle(json) : json;
}

/** Every character beyond ASCII as `\uXXXX`, every slash as `\/` (platform §4.2). */
function metaStyle(json: string): string {
  return json
    .replace(/(\\.)|\//g, (_, escaped?: string) => escaped ?? '\\/')
    .replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
