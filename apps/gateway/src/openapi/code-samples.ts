/** A call of the REST API. */
export interface SampleCall {
  method: string;
  url: string;
  body: Value | undefined;
  /** The text of a file in place of a JSON body. */
  file?: string | undefined;
}
/** A JSON value. */
export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

/** One entry of `x-codeSamples`, which reference tools show. */
interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** The call in four languages with their standard libraries. The key comes from API_KEY; each sample prints the response, even an error. */
export function codeSamples(call: SampleCall): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'JavaScript', label: 'Node', source: node(call) },
    { lang: 'Python', label: 'Python', source: python(call) },
    { lang: 'PHP', label: 'PHP', source: php(call) },
  ];
}

/** The method that curl and Python choose by themselves. */
const chosen = (call: SampleCall) => (typeOf(call) === null ? 'GET' : 'POST');

/** The type of the body, or null. */
function typeOf({ body, file }: SampleCall): string | null {
  if (file !== undefined) return 'text/plain';
  return body === undefined ? null : 'application/json';
}

function curl(call: SampleCall): string {
  const { method, url, body, file } = call;
  const get = `curl -s${method === chosen(call) ? '' : ` -X ${method}`} '${url}' \\\n  -H "X-API-Key: $API_KEY"`;
  if (file !== undefined) return `${get} \\\n  -H 'Content-Type: text/plain' \\\n  --data-binary '${file}'`;
  if (body === undefined) return get;
  return `${get} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`;
}

function node(call: SampleCall): string {
  const { method, url, body, file } = call;
  const type = typeOf(call);
  const key = `'X-API-Key': process.env.API_KEY`;
  const lines = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    `headers: { ${key}${type === null ? '' : `, 'Content-Type': '${type}'`} },`,
    ...(file === undefined ? [] : [`body: ${JSON.stringify(file)},`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literal(body, JAVASCRIPT, '  ')}),`]),
  ];
  return `const response = await fetch('${url}', {
${lines.map((line) => `  ${line}`).join('\n')}
});
console.log(await response.text());`;
}

function python(call: SampleCall): string {
  const { method, url, body, file } = call;
  const type = typeOf(call);
  const key = `"X-API-Key": os.environ["API_KEY"]`;
  const lines = [
    `"${url}",`,
    `headers={${key}${type === null ? '' : `, "Content-Type": "${type}"`}},`,
    ...(file === undefined ? [] : [`data=${JSON.stringify(file)}.encode(),`]),
    ...(body === undefined ? [] : [`data=json.dumps(${literal(body, PYTHON, '    ')}).encode(),`]),
    ...(method === chosen(call) ? [] : [`method="${method}",`]),
  ];
  return `${body === undefined ? '' : 'import json\n'}import os
import urllib.error
import urllib.request

request = urllib.request.Request(
${lines.map((line) => `    ${line}`).join('\n')}
)
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    response = error
print(response.read().decode())`;
}

function php(call: SampleCall): string {
  const { method, url, body, file } = call;
  const type = typeOf(call);
  const key = `'X-API-Key: ' . getenv('API_KEY')`;
  const lines = [
    ...(method === 'GET' ? [] : [`'method' => '${method}',`]),
    `'header' => [${key}${type === null ? '' : `, 'Content-Type: ${type}'`}],`,
    ...(file === undefined ? [] : [`'content' => ${quoted(file)},`]),
    ...(body === undefined ? [] : [`'content' => json_encode(${literal(body, PHP, '    ')}),`]),
  ];
  return `$context = stream_context_create(['http' => [
${lines.map((line) => `    ${line}`).join('\n')}
    'ignore_errors' => true,
]]);
echo file_get_contents('${url}', false, $context);`;
}

/** The literals of a language. */
interface Notation {
  text: (value: string) => string;
  constant: (value: number | boolean | null) => string;
  name: (name: string) => string;
  object: [open: string, pair: string, close: string];
  indent: string;
}
const JAVASCRIPT: Notation = { text: JSON.stringify, constant: String, name: (name) => name, object: ['{', ': ', '}'], indent: '  ' };
const pythonConstant = (value: number | boolean | null) =>
  value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : String(value);
const PYTHON: Notation = { ...JAVASCRIPT, constant: pythonConstant, name: JSON.stringify, indent: '    ' };
const quoted = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`;
const PHP: Notation = { text: quoted, constant: String, name: quoted, object: ['[', ' => ', ']'], indent: '    ' };

/** @param indent the indent of the line on which the value starts */
function literal(value: Value, notation: Notation, indent: string): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value !== 'object' || value === null) return notation.constant(value);
  if (Array.isArray(value)) return `[${value.map((member) => literal(member, notation, indent)).join(', ')}]`;
  const [open, pair, close] = notation.object;
  const inner = indent + notation.indent;
  const lines = Object.entries(value).map(([name, member]) => `${inner}${notation.name(name)}${pair}${literal(member, notation, inner)},`);
  return [open, ...lines, `${indent}${close}`].join('\n');
}
