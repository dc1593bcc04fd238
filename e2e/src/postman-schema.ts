const object = (properties: Record<string, object>, ...required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object) => ({ type: 'array', items, minItems: 1 });
const text = { type: 'string' };
const named = { type: 'string', minLength: 1 };
const pair = object({ key: named, value: text, description: named, disabled: { const: true } }, 'key', 'value');
const attribute = object({ key: named, value: text, type: { const: 'string' } }, 'key', 'value', 'type');
/** The part of Postman's schema for collections 2.1 that our collection uses, closed against other members. */
export const POSTMAN = object(
  {
    info: object(
      { name: named, description: named, schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' } },
      'name',
      'schema',
    ),
    auth: object({ type: { const: 'apikey' }, apikey: list(attribute) }, 'type', 'apikey'),
    variable: list(attribute),
    item: list(
      object(
        {
          name: named,
          description: named,
          auth: object({ type: { const: 'noauth' } }, 'type'),
          item: list(
            object(
              {
                name: named,
                request: object(
                  {
                    method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
                    description: named,
                    header: { type: 'array', items: pair },
                    url: object(
                      {
                        raw: { type: 'string', pattern: '^\\{\\{(base_url|site_url)\\}\\}/' },
                        host: list(named),
                        path: list(named),
                        query: list(pair),
                        variable: list(object({ key: named, value: text, description: named }, 'key', 'value')),
                      },
                      'raw',
                      'host',
                      'path',
                    ),
                    body: object(
                      {
                        mode: { const: 'raw' },
                        raw: named,
                        options: object({ raw: object({ language: { enum: ['json', 'text'] } }, 'language') }, 'raw'),
                      },
                      'mode',
                      'raw',
                    ),
                  },
                  'method',
                  'header',
                  'url',
                ),
              },
              'name',
              'request',
            ),
          ),
        },
        'name',
        'item',
      ),
    ),
  },
  'info',
  'auth',
  'variable',
  'item',
);
