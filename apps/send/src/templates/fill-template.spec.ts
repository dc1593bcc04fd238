import { GatewayError, type TemplateShape } from '@mgw/contracts';
import { stopAtFirst } from '../sending/problems';
import { fillTemplate } from './fill-template';

const template = (change: Partial<TemplateShape>): TemplateShape => ({
  ...{ id: 1, name: 'order', language: 'en', category: 'UTILITY', content: 'Hi', body_variables: [], named: false },
  ...{ header_format: null, header_text: null, header_variables: [], button_parameters: [] },
  ...change,
});
const refusal = (shape: TemplateShape, values: { header?: string[]; buttons?: string[] }) => {
  try {
    fillTemplate(shape, { body: [], header: [], buttons: [], ...values }, stopAtFirst);
    return null;
  } catch (error) {
    return error instanceof GatewayError ? [error.error_code, error.extras['details']] : error;
  }
};
const naming = (field: string) => ['VALIDATION_FAILED', [expect.objectContaining({ field })]];

describe('URLs in templates (decision 50)', () => {
  it.each(['IMAGE', 'VIDEO', 'DOCUMENT'])('a %s header takes an absolute URL that a URL parser leaves unchanged', (header_format) => {
    const shape = template({ header_format });
    expect(refusal(shape, { header: ['https://example.com/a.png'] })).toBeNull();
    for (const link of ['https:example.com', 'https://example.com/a b', 'https://example.com\\a', 'javascript:alert(1)', 'a.png', ''])
      expect(refusal(shape, { header: [link] })).toEqual(naming('header_params'));
  });

  it('does not check file names, locations and text headers as URLs', () => {
    expect(refusal(template({ header_format: 'DOCUMENT' }), { header: ['https://example.com/a.pdf', 'Offer 1.pdf'] })).toBeNull();
    expect(refusal(template({ header_format: 'LOCATION' }), { header: ['1.2', '3.4', 'Our shop', 'Main St 1'] })).toBeNull();
    expect(refusal(template({ header_format: 'TEXT', header_variables: ['1'] }), { header: ['a b'] })).toBeNull();
  });

  it('refuses characters in a button’s URL suffix that parsers rewrite; a coupon code may have spaces', () => {
    const shape = template({
      button_parameters: [
        { index: 0, takes: 'coupon' },
        { index: 1, takes: 'link' },
      ],
    });
    expect(refusal(shape, { buttons: ['SAVE 10', 'orders/1007?a=b'] })).toBeNull();
    for (const end of ['a b', 'a\n', '..\\x']) expect(refusal(shape, { buttons: ['SAVE 10', end] })).toEqual(naming('button_params'));
  });
});
