// The reference of the events in docs/webhooks.md, from docs/api/openapi.json: node events.mjs [--write]
import { readFileSync, writeFileSync } from 'node:fs';
import { formatted } from './formatted.mjs';

process.chdir(`${import.meta.dirname}/../..`);
const FILE = 'docs/webhooks.md';
const PART = /(<!-- events:.*-->\n)[\s\S]*(<!-- \/events -->)/;
const document = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));

function reference() {
  const events = Object.entries(document.webhooks).map(([name, { post }]) => ({ name, ...post }));
  const rows = events.map(({ name, description }) => `| [\`${name}\`](#${name.replace('.', '')}) | ${cell(firstLine(description))} |`);
  return [`| Event | Cause |\n| --- | --- |\n${rows.join('\n')}`, ...events.map(section)].join('\n\n');
}

const firstLine = (text) => text.split('\n')[0];
const cell = (text) => text.replaceAll('|', '\\|');

function section({ name, description, parameters, requestBody }) {
  const { schema, example } = requestBody.content['application/json'];
  const { timestamp, data } = document.components.schemas[schema.$ref.split('/').pop()].properties;
  const [cause, order] = description.split('\n\n');
  const { example: id } = parameters.find((parameter) => parameter.name === 'webhook-id');
  const fields = [...fieldsOf(data)].map(
    ({ field, type, isRequired, about }) => `| \`${field}\` | ${type}${isRequired ? '' : ', optional'} | ${cell(about)} |`,
  );
  return [
    `### ${name}`,
    cause,
    `- Order: ${order}\n- \`webhook-id\`: \`${id}\`\n- \`timestamp\`: ${timestamp.description}`,
    `| Field of \`data\` | Type | Meaning |\n| --- | --- | --- |\n${fields.join('\n')}`,
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
  ].join('\n\n');
}

/** The fields of an object, each followed by its own: `context`, `context.message_id`, `errors[].code`. */
function* fieldsOf({ properties, required = [] }, prefix = '') {
  for (const [name, schema] of Object.entries(properties)) {
    const about = schema.description ?? '';
    yield { field: `${prefix}${name}`, type: typeOf(schema), isRequired: required.includes(name), about };
    const inner = schema.items ?? schema;
    if (inner.properties) yield* fieldsOf(inner, `${prefix}${name}${schema.items ? '[]' : ''}.`);
  }
}

const typeOf = ({ type }) => [type].flat().join(' or ');

const page = readFileSync(FILE, 'utf8');
const made = page.replace(PART, (_, begin, end) => `${begin}\n${reference()}\n\n${end}`);
const expected = await formatted(FILE, made);
if (process.argv.includes('--write')) writeFileSync(FILE, expected);
else if (expected !== page) {
  console.error(`${FILE} is not what the document says: npm run openapi`);
  process.exit(1);
}
