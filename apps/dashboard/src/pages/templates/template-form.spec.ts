import { rejectionOf } from './plain-words';
import { STARTERS } from './starters';
import { editFault, formOf, requestOf, withExamples } from './template-form';
import type { Template } from './template-values';

const stored = (components: object[], more: Partial<Template> = {}) =>
  ({
    name: 'a',
    language: 'en',
    category: 'UTILITY',
    status: 'APPROVED',
    header_type: null,
    footer_text: null,
    components,
    ...more,
  }) as Template;

describe('the form of a template (decision 454)', () => {
  it('keeps what a stored template has: header, examples by number and name, and buttons', () => {
    const form = formOf(
      stored(
        [
          { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['7'] } },
          { type: 'BODY', text: 'To {{2}}, from {{1}}.', example: { body_text: [['Ben', 'Asha']] } },
          { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://a.example/{{1}}', example: ['https://a.example/7'] }] },
        ],
        { header_type: 'TEXT', footer_text: 'Bye' },
      ),
    );
    expect(withExamples('body', form.body, form.examples)).toBe('To Asha, from Ben.');
    expect(requestOf(form)).toEqual({
      ...{ name: 'a', language: 'en', category: 'UTILITY', footer: 'Bye', body: 'To {{2}}, from {{1}}.' },
      header: { type: 'text', text: 'Order {{1}}' },
      // One example for each variable, in the order of the text.
      examples: { header: ['7'], body: ['Asha', 'Ben'] },
      buttons: [{ type: 'url', text: 'Track', url: 'https://a.example/{{1}}', example: 'https://a.example/7' }],
    });
    const named = [
      { type: 'BODY', text: 'Hi {{who}} there', example: { body_text_named_params: [{ param_name: 'who', example: 'Asha' }] } },
    ];
    expect(requestOf(formOf(stored(named))).examples).toEqual({ body: ['Asha'] });
    const pictured = formOf(
      stored(
        [
          { type: 'HEADER', format: 'IMAGE' },
          { type: 'BODY', text: 'Hi' },
        ],
        { header_type: 'IMAGE' },
      ),
    );
    expect(requestOf(pictured).header).toEqual({ type: 'image', example: '' });
  });

  it('edits only templates that it can show whole, and that WhatsApp has reviewed', () => {
    const body = { type: 'BODY', text: 'Hi' };
    expect(editFault(stored([body]))).toBeNull();
    expect(editFault(stored([body], { status: 'PENDING' }))).toContain('review');
    for (const other of [{ header_type: 'LOCATION' }, { category: 'AUTHENTICATION' }])
      expect(editFault(stored([body], other))).toContain('Manager');
    expect(editFault(stored([body, { type: 'CAROUSEL' }]))).toContain('Manager');
    expect(editFault(stored([body, { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'x' }] }]))).toContain('Manager');
  });

  it('has starters with every example, and words for every rejection', () => {
    for (const { form } of STARTERS) expect(withExamples('body', form.body, form.examples)).not.toContain('{{');
    expect(requestOf(STARTERS.at(-1)?.form as never)).toEqual({ name: 'login_code', language: 'en', category: 'AUTHENTICATION' });
    expect(rejectionOf(null)).toContain('no reason');
    expect(rejectionOf('NEW_WORD')).toBe('WhatsApp’s reason: new word.');
  });
});
