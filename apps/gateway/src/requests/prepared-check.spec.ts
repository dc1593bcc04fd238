import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { GatewayError } from '@mgw/contracts';
import {
  QuickSendRequest,
  SendInteractiveRequest,
  SendMediaRequest,
  SendOtpRequest,
  SendTemplateRequest,
  SendTextRequest,
} from '../api-v1/send.requests';
import { RecoverRequest } from '../webhooks/recovery.requests';
import { CreateWebhookRequest } from '../webhooks/webhooks.requests';
import { fieldsOf, preparedCheck } from './prepared-check';
import { RequestPipe } from './request.pipe';

type Type = new () => object;

const SRC = join(__dirname, '..');
/** All request classes of the gateway. */
const REQUESTS = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.requests.ts'))
  .flatMap((file) => Object.values(jest.requireActual<Record<string, unknown>>(join(SRC, file))))
  .filter((value): value is Type => typeof value === 'function' && /^class /.test(String(value)));

const VALUES: unknown[] = [
  ...[undefined, null, true, false, 0, -1, 1, 7.5, 30, 1e21, '', ' ', '0', 'x', 'true', 'owner', 'Pro', 'UTC', 'image', 'keyword'],
  ...[
    '+1 201 555 0100',
    'US.1234567890123',
    'a@example.com',
    'https://example.com/a.png',
    'http://',
    '2026-01-02T03:04:05Z',
    '09:30',
    '1007',
  ],
  ...[
    'x'.repeat(20),
    'x'.repeat(21),
    'x'.repeat(300),
    '😀'.repeat(600),
    'x'.repeat(5_000),
    'correct horse battery',
    'a\nb',
    '*',
    '__proto__',
  ],
  ...[
    [],
    ['x'],
    ['x', 7],
    [''],
    ['*'],
    ['send_text', 'send_text'],
    ['message.sent'],
    [null],
    [['x']],
    [{}],
    Array.from({ length: 60 }, () => 'x'),
  ],
  ...[{}, { length: 1 }, JSON.parse('{"__proto__": {"admin": true}}')],
];

const judged = (type: Type, body: object) => {
  const object = plainToInstance(type, structuredClone(body));
  const refused = validateSync(object, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false }).length > 0;
  return refused ? null : object;
};

describe('prepared checks of request bodies (decisions 4 to 16)', () => {
  it.each(REQUESTS.map((type) => [type.name, type] as const))(
    '%s: what they take, class-validator takes and makes the same of',
    (_name, type) => {
      const check = preparedCheck(type);
      if (check === null) return;
      // A body with a valid value in each field that has one, then that body with each value in each field.
      const good: Record<string, unknown> = {};
      for (const field of fieldsOf(type)) {
        const refusals = (value: unknown) =>
          validateSync(plainToInstance(type, { ...good, [field]: value })).filter(({ property }) => property === field).length;
        const value = VALUES.find((one) => one !== undefined && refusals(one) === 0);
        if (value !== undefined) good[field] = value;
      }
      for (const field of [...fieldsOf(type), 'unknown', '__proto__', 'constructor'])
        for (const value of VALUES) {
          const body = { ...good };
          Object.defineProperty(body, field, { value, enumerable: true, configurable: true, writable: true });
          const taken = check(body);
          if (taken === null) continue;
          expect(taken).toBeInstanceOf(type);
          expect({ body, taken: { ...taken } }).toEqual({ body, taken: { ...judged(type, body) } });
          expect(judged(type, body)).not.toBeNull();
        }
    },
  );

  it('accept the bodies of sends', () => {
    const phone = '+1 201 555 0100';
    const bodies: [Type, object][] = [
      [SendTemplateRequest, { phone, template_name: 'order_update', language: null, body_params: ['Asha', 1007] }],
      [SendTextRequest, { phone, message: 'Hi' }],
      [SendMediaRequest, { phone, media_type: 'image', media_url: 'https://example.com/a.png', caption: 'A' }],
      [SendOtpRequest, { phone, template_name: 'login_code', otp: '123456' }],
    ];
    for (const [type, body] of bodies) expect({ ...preparedCheck(type)?.(body as Record<string, unknown>) }).toEqual(body);
  });
});

describe('the message of a wrong field (decision 2)', () => {
  const TYPES: Record<string, [type: string, names: string]> = {
    isString: ['string', 'must be a string'],
    isInt: ['number', 'must be an integer number'],
    isBoolean: ['boolean', 'must be a boolean value'],
    isArray: ['array', 'must be an array'],
  };
  const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
  const faultOf = async (type: Type, field: string, value: unknown, kind: 'body' | 'query' = 'body') => {
    const body = value === undefined ? {} : { [field]: value };
    const refused = await new RequestPipe().transform(body, { type: kind, metatype: type }).catch((error: unknown) => error);
    if (!(refused instanceof GatewayError)) return undefined;
    return (refused.extras['details'] as { field: string; message: string }[]).find((one) => one.field === field)?.message;
  };

  it('names the type of each field before its size, and says that a missing field is required', async () => {
    const others: string[] = [];
    const typed = new Set<string>();
    for (const type of REQUESTS)
      for (const { propertyName: field, name, each } of getMetadataStorage().getTargetValidationMetadatas(type, '', false, false)) {
        const [expected, names] = TYPES[name ?? ''] ?? [];
        if (expected === undefined || names === undefined || each) continue;
        typed.add(names);
        for (const value of [undefined, 7, 'x', true, ['x'], {}]) {
          if (typeOf(value) === expected) continue;
          const fault = await faultOf(type, field, value);
          const wanted = value === undefined ? `is required and ${names}` : names;
          if (!fault?.startsWith(wanted) && !(fault === undefined && value === undefined))
            others.push(`${type.name}.${field} ${JSON.stringify(value)}: ${fault}`);
        }
      }
    expect(others).toEqual([]);
    expect([...typed].sort()).toEqual(
      Object.values(TYPES)
        .map(([, names]) => names)
        .sort(),
    );
  });

  const FAULTS: [Type, string, unknown, message: string][] = [
    [CreateWebhookRequest, 'url', '', 'must not be empty'],
    [CreateWebhookRequest, 'secret', 'x'.repeat(257), 'must have at most 256 characters'],
    [CreateWebhookRequest, 'events', [], 'must have at least one of message.received, '],
    [CreateWebhookRequest, 'events', ['message.sent', 'message.gone'], 'must have only some of message.received, '],
    [CreateWebhookRequest, 'events', Array.from({ length: 51 }, () => 'message.sent'), 'must have at most 50 entries'],
    [SendTemplateRequest, 'body_params', ['Asha', ['1007']], 'must hold strings of at most 1024 characters, or numbers'],
    [SendTemplateRequest, 'body_params', ['Asha', ' '], 'must not hold empty values: the platform refuses them (value 2)'],
    [
      SendTemplateRequest,
      'header_params',
      ['a\nb'],
      'must not hold newlines, tabs or more than 4 spaces in a row: the platform refuses them (value 1)',
    ],
    [RecoverRequest, 'states', ['delivered'], 'must have only some of failed, skipped'],
  ];
  it.each(FAULTS.map((one) => [`${one[0].name}.${one[1]} ${one[3]}`, one] as const))('%s', async (_, [type, field, value, message]) => {
    expect((await faultOf(type, field, value))?.startsWith(message)).toBe(true);
  });

  it('says once that a field is required, and that a parameter came twice', async () => {
    const body = { phone: '+12015550100', kind: 'buttons', body: 'When?' };
    const refused: unknown = await new RequestPipe()
      .transform(body, { type: 'body', metatype: SendInteractiveRequest })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ message: 'buttons is required for the kind buttons.' });
    expect(await faultOf(QuickSendRequest, 'template', ['a', 'b'], 'query')).toBe('must be given once');
  });
});
