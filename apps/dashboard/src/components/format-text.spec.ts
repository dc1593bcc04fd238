import { formatText, type FormattedPart } from './format-text';

const TAGS = { bold: 'b', italic: 'i', strike: 's', mono: 'code' };
const marked = (parts: FormattedPart[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return part.kind === 'link' ? `[${part.url}]` : `<${TAGS[part.kind]}>${marked(part.parts)}</${TAGS[part.kind]}>`;
    })
    .join('');

describe('WhatsApp formatting (decision 391)', () => {
  it.each([
    ['*bold*, _italic_ and ~strike~', '<b>bold</b>, <i>italic</i> and <s>strike</s>'],
    ['*bold _and italic_*', '<b>bold <i>and italic</i></b>'],
    ['```a *b*\nc``` and `d_e_f`', '<code>a *b*\nc</code> and <code>d_e_f</code>'],
    ['2*3*4, order_update_2, * no *, *two\nlines*', '2*3*4, order_update_2, * no *, *two\nlines*'],
    ['(*so*)! **', '(<b>so</b>)! **'],
    ['See https://example.com/a_b_c?x=*1*. _Now_', 'See [https://example.com/a_b_c?x=*1]*. <i>Now</i>'],
    ['javascript:alert(1) <b>x</b>', 'javascript:alert(1) <b>x</b>'],
    ['', ''],
  ])('shows %j as %j', (text, shown) => expect(marked(formatText(text))).toBe(shown));
});
