import { EVENT_REFERENCE, PUBLIC_EVENTS, publicBodySchemas } from '@mgw/contracts';

type Json = Record<string, unknown>;

const HEADERS: [string, boolean, string][] = [
  ['webhook-id', true, 'Identifies the event. A repeated delivery has the same id and the same body: handle each id once.'],
  ['webhook-timestamp', true, 'When this delivery was sent, in seconds since 1970. Refuse one that is older than five minutes.'],
  [
    'webhook-signature',
    false,
    'With a secret: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). Two signatures, separated by a space, while a replaced secret is kept.',
  ],
  [
    'X-Service-Sequence',
    false,
    'The number of the event among the events of the business, which have numbers without gaps, wanted by this webhook or not. Absent on a test event.',
  ],
  [
    'X-Service-Previous',
    false,
    'The number of the event before it that this webhook wanted, `0` for the first. If you never receive that one, it was lost.',
  ],
  ['X-Service-Signature', false, 'With a secret: the hexadecimal HMAC-SHA256 of the body.'],
];
const RULES =
  'It may arrive more than once, always with the same `webhook-id` and the same bytes. A delivery that fails is not retried: a person redelivers it.';

/**
 * The events that the gateway posts to webhooks, from the schemas of the contracts (spec §6).
 * @param schemas receives the bodies, and `WebhookEvent`, which is any of them
 */
export function webhooks(schemas: Record<string, unknown>): Json {
  const bodies = publicBodySchemas();
  const references = PUBLIC_EVENTS.map((name) => {
    const { title = name } = bodies[name];
    schemas[title] = bodies[name];
    return { name, $ref: `#/components/schemas/${title}` };
  });
  schemas['WebhookEvent'] = { title: 'WebhookEvent', oneOf: references.map(({ $ref }) => ({ $ref })) };
  return Object.fromEntries(references.map(({ name, $ref }) => [name, { post: delivery(name, $ref) }]));
}

function delivery(name: (typeof PUBLIC_EVENTS)[number], $ref: string): Json {
  const { cause, order, id, example } = EVENT_REFERENCE[name];
  return {
    summary: name,
    description: `${cause}\n\n${order}\n\n${RULES}`,
    security: [],
    parameters: HEADERS.map(([header, required, description]) => ({
      name: header,
      in: 'header',
      required,
      description,
      schema: { type: 'string' },
      ...(header === 'webhook-id' && { example: id }),
    })),
    requestBody: { required: true, content: { 'application/json': { schema: { $ref }, example } } },
    responses: {
      '200': { description: 'Received. Any other status, a redirect, or no response within 10 seconds counts as a failure.' },
    },
  };
}
