import { ChangeTemplate, CreateTemplate, DeleteTemplate, type GatewayError, type TemplateContent } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { approved, bodyOf, startTemplate, type TemplateFixture } from '../template.fixture';
import { templateFaults } from './template-faults';

const CONTENT: TemplateContent = {
  category: 'UTILITY',
  body: 'Hello {{1}}, your order {{2}} has left.',
  examples: { body: ['Asha', '7'] },
};
const body = (text: string, examples: string[] = []): TemplateContent => ({
  category: 'UTILITY',
  body: text,
  examples: { body: examples },
});
const button = (more: object) => ({ ...CONTENT, buttons: [{ type: 'url', text: 'Track', ...more }] }) as TemplateContent;

describe('platform §3.1: finds what WhatsApp refuses', () => {
  it.each<[string, TemplateContent, string[]]>([
    ['nothing', CONTENT, []],
    ['nothing in names', body('Hello {{first_name}}, thank you.', ['Asha']), []],
    ['no body', { category: 'UTILITY' }, ['body']],
    ['a variable at the beginning', body('{{1}}, your order has left today.', ['a']), ['body']],
    ['a variable at the end', body('Your order has left, dear {{1}}.', ['a']), ['body']],
    ['two variables in a row', body('Hello dear {{1}} {{2}} of our shop.', ['a', 'b']), ['body']],
    ['a gap in the numbers', body('Hello dear {{1}} and {{3}} of our shop.', ['a', 'b']), ['body']],
    ['names and numbers', body('Hello dear {{1}} and {{name}} of our shop.', ['a', 'b']), ['body']],
    ['too few words', body('Hi {{1}} x', ['a']), ['body']],
    ['nothing in Chinese', body('您好{{1}}，您的订单{{2}}已发货。感谢您的支持', ['Asha', '7']), []],
    ['nothing in Japanese', body('こんにちは、{{1}}様のご注文番号{{2}}の商品を本日発送いたしました。', ['Asha', '7']), []],
    ['a missing example', body('Hello {{1}}, thank you.', [' ']), ['examples.body']],
    ['an example too many', body('Hello.', ['a']), ['examples.body']],
    ['two variables in the header', { ...CONTENT, header: { type: 'text', text: '{{1}} {{2}}' } }, ['header.text', 'examples.header']],
    ['an emoji in the header', { ...CONTENT, header: { type: 'text', text: 'Hi 👋' } }, ['header.text']],
    ['a picture without a sample', { ...CONTENT, header: { type: 'image' } }, ['header.example']],
    ['a variable in the footer', { ...CONTENT, footer: 'Bye {{1}}' }, ['footer']],
    ['a link without an address', button({}), ['buttons.0.url']],
    ['a variable inside a link', button({ url: 'https://a.example/{{1}}/b', example: 'x' }), ['buttons.0.url']],
    ['a link without an example', button({ url: 'https://a.example/{{1}}' }), ['buttons.0.example']],
    ['a link with a blank example', button({ url: 'https://a.example/{{1}}', example: ' ' }), ['buttons.0.example']],
    ['a blank code', button({ type: 'copy_code', text: 'Copy code', example: ' ' }), ['buttons.0.example']],
    [
      'mixed buttons',
      { ...CONTENT, buttons: ['quick_reply', 'phone', 'quick_reply'].map((type) => ({ type, text: 'a', phone: '+12015550100' })) as never },
      ['buttons'],
    ],
    ['a text of a code', { category: 'AUTHENTICATION', body: 'x' }, ['body']],
    ['nothing in a code', { category: 'AUTHENTICATION' }, []],
  ])('%s', (_, content, fields) => {
    expect(templateFaults(content).map(({ field }) => field)).toEqual(fields);
  });
});

describe('decision 454: templates are written at WhatsApp, and a sync stores the result', () => {
  let fixture: TemplateFixture;
  beforeEach(async () => {
    fixture = await startTemplate();
    fixture.platform.templates = [approved('order', [bodyOf('Hi')]), approved('waiting', [bodyOf('Hi')], { status: 'PENDING' })];
    await fixture.connect();
    await fixture.synced();
  });
  afterEach(() => fixture.harness.close());

  const call = (operation: typeof CreateTemplate | typeof ChangeTemplate | typeof DeleteTemplate, request: object) =>
    fixture.harness.rpc.call(operation, { business_id: 1, ...request } as never).then(
      (reply) => ('name' in reply ? reply : 'done'),
      (error: GatewayError) => error.error_code,
    );
  const draft = { name: 'left', language: 'en', ...CONTENT };
  const calls = (method: string) => fixture.graph.requests.filter((request) => request.method === method);
  const idOf = async (name: string) => (await fixture.synced()).templates.find((one) => one.name === name)?.id;

  it('creates, changes and deletes, and refuses what is invalid, unknown or in review before any call', async () => {
    fixture.platform.written = { id: '77', status: 'PENDING', success: true };
    await fixture.connect(2);
    expect(await call(CreateTemplate, { draft: { ...draft, body: '{{1}}' } })).toBe('VALIDATION_FAILED');
    expect(await call(ChangeTemplate, { id: 999, content: CONTENT })).toBe('NOT_FOUND');
    expect(await call(ChangeTemplate, { business_id: 2, id: await idOf('order'), content: CONTENT })).toBe('NOT_FOUND');
    expect(await call(ChangeTemplate, { id: await idOf('waiting'), content: CONTENT })).toBe('CONFLICT');
    expect(await call(ChangeTemplate, { id: await idOf('order'), content: { ...CONTENT, category: 'MARKETING' } })).toBe('CONFLICT');
    expect(await call(CreateTemplate, { business_id: 3, draft })).toBe('NOT_CONNECTED');
    expect(calls('POST')).toEqual([]);
    const id = await idOf('order');
    fixture.platform.templates.push(approved('left', [bodyOf('Hello')], { status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' }));
    expect(await call(CreateTemplate, { draft })).toBe('done');
    await eventually(() => idOf('left'));
    expect((await fixture.synced()).templates).toContainEqual(expect.objectContaining({ name: 'left', rejected_reason: 'INVALID_FORMAT' }));
    expect(await call(ChangeTemplate, { id, content: CONTENT })).toBe('done');
    expect(await call(DeleteTemplate, { id })).toEqual({ name: 'order', language: 'en' });
    const components = [{ type: 'BODY', text: CONTENT.body, example: { body_text: [['Asha', '7']] } }];
    expect(calls('POST').map(({ path, body: sent }) => [path.replace(/^\/v[\d.]+/, ''), JSON.parse(sent) as object])).toEqual([
      ['/801/message_templates', { name: 'left', language: 'en', category: 'UTILITY', parameter_format: 'POSITIONAL', components }],
      ['/95', { components }],
    ]);
    expect(calls('DELETE').map(({ path }) => path.replace(/^\/v[\d.]+/, ''))).toEqual(['/801/message_templates?name=order&hsm_id=95']);
  });

  it('reports a refusal in WhatsApp’s words, and syncs after an unclear response', async () => {
    fixture.platform.refusal = { status: 400, code: 100 };
    expect(await call(CreateTemplate, { draft })).toBe('PLATFORM_REFUSED');
    fixture.platform.refusal = null;
    fixture.platform.written = { odd: true };
    fixture.platform.templates.push(approved('left', [bodyOf('Hello')]));
    expect(await call(CreateTemplate, { draft })).toBe('OUTCOME_UNKNOWN');
    await eventually(() => idOf('left'));
  });
});
