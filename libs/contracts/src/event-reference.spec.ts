import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { EVENT_REFERENCE, PUBLIC_EVENTS, publicBodySchemas } from './index';

interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}
interface Body {
  properties: { data: Schema & { properties: Record<string, Schema> } };
}
const read = (file: string) => readFileSync(join(__dirname, '../../..', file), 'utf8');
const typeOf = ({ type, anyOf = [] }: Schema): string => [...new Set(type === undefined ? anyOf.map(typeOf) : [type].flat())].join(' or ');
const rowsOf = ({ properties = {}, required = [] }: Schema, prefix = ''): object[] =>
  Object.entries(properties).flatMap(([name, schema]) => [
    { field: prefix + name, type: typeOf(schema), required: required.includes(name), about: schema.description ?? '' },
    ...rowsOf(schema.items ?? schema, `${prefix}${name}${schema.items ? '[]' : ''}.`),
  ]);
const BODIES = publicBodySchemas() as unknown as Record<string, Body>;

describe.each(PUBLIC_EVENTS)('the reference of %s (spec §6.2)', (name) => {
  const { data } = (BODIES[name] as Body).properties;
  const { example, cause, order, id } = EVENT_REFERENCE[name];

  it('has a body that matches the schema and holds every required field, and a text for each field', () => {
    const strict = { ...BODIES[name], properties: { ...BODIES[name]?.properties, data: { ...data, additionalProperties: false } } };
    const validate = new Ajv({ strict: false }).compile(strict);
    expect([validate(example), validate.errors]).toEqual([true, null]);
    expect(example.event).toBe(name);
    for (const [field, { description }] of Object.entries(data.properties))
      expect([field, description]).toEqual([field, expect.stringMatching(/\S/)]);
  });

  it('docs/webhooks.md has its fields, body, cause, order and id', () => {
    const [section = ''] = read('docs/webhooks.md').split(`### ${name}\n`).slice(1);
    const part = section.split(/^##/m)[0] ?? '';
    const rows = [...part.matchAll(/^\| `([\w.[\]]+)` +\| (.*?)(, optional)? +\| (.*?) *\|$/gm)].map(
      ([, field, type, optional, about]) => ({
        field,
        type,
        required: optional === undefined,
        about,
      }),
    );
    expect(rows).toEqual(rowsOf(data));
    expect(JSON.parse(/```json\n([\s\S]*?)```/.exec(part)?.[1] ?? 'null')).toEqual(example);
    for (const text of [cause, order, `\`${id}\``]) expect(part.replace(/\s+/g, ' ')).toContain(text);
  });

  it('docs/api/openapi.json has its fields and body', () => {
    const document = JSON.parse(read('docs/api/openapi.json')) as {
      webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: { $ref: string }; example: object }> } } }>;
      components: { schemas: Record<string, Body> };
    };
    expect(Object.keys(document.webhooks)).toEqual(PUBLIC_EVENTS);
    const content = document.webhooks[name]?.post.requestBody.content['application/json'];
    expect(content?.example).toEqual(example);
    const title = content?.schema.$ref.split('/').pop() ?? '';
    // The document writes unions in another form.
    expect(rowsOf((document.components.schemas[title] as Body).properties.data)).toEqual(rowsOf(data));
    expect(document.components.schemas['WebhookEvent']).toMatchObject({ oneOf: expect.arrayContaining([content?.schema]) as object[] });
  });
});
