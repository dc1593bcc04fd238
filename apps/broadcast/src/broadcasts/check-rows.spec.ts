import type { TemplateShape } from '@mgw/contracts';
import { checkRows } from './check-rows';

it('decision 50: reports a media header whose value is not a URL', () => {
  const template = { body_variables: [], header_format: 'IMAGE', header_variables: [], button_parameters: [] } as unknown as TemplateShape;
  const row = (line: number, link: string) => ({ line, phone: `1201555${1_000 + line}`, body_params: [], header_params: [link] });
  const links = ['https://example.com/a.png', 'https:example.com', 'https://example.com/a b', 'javascript:alert(1)'];
  const { faults } = checkRows(
    template,
    links.map((link, i) => row(i + 1, link)),
  );
  expect(faults.map(({ line, field }) => [line, field])).toEqual([2, 3, 4].map((line) => [line, 'header_params']));
});

it('decision 452: takes an empty cell for an optional value that the row lacks', () => {
  const template = {
    body_variables: [],
    header_format: 'DOCUMENT',
    header_variables: [],
    button_parameters: [],
  } as unknown as TemplateShape;
  const link = 'https://example.com/a.pdf';
  const values = [[link, ' '], [link, 'a.pdf'], [link], ['', ''], [link, '', '']];
  const rows = values.map((header_params, i) => ({ line: i + 1, phone: `1201555${1_000 + i}`, body_params: [], header_params }));
  const { recipients, faults } = checkRows(template, rows);
  expect(recipients.slice(0, 3).map(({ header_params }) => header_params)).toEqual([[link], [link, 'a.pdf'], [link]]);
  expect(new Set(faults.map(({ line }) => line))).toEqual(new Set([4, 5]));
});

it('guarantees §10, N1: reports values that together exceed the platform limit', () => {
  const body_variables = ['1', '2', '3', '4', '5'];
  const template = { body_variables, header_format: null, header_variables: [], button_parameters: [] } as unknown as TemplateShape;
  const row = (line: number, length: number) => ({
    line,
    phone: `1201555${1_000 + line}`,
    body_params: body_variables.map(() => 'x'.repeat(length)),
    header_params: [],
  });
  expect(checkRows(template, [row(1, 800), row(2, 1_000)]).faults).toEqual([
    { line: 2, field: 'body_params', message: 'and all other values must have at most 4096 characters altogether' },
  ]);
});

it('decision 453: takes a valid row whose twin has another fault', () => {
  const template = { body_variables: ['1'], header_format: null, header_variables: [], button_parameters: [] } as unknown as TemplateShape;
  const row = (line: number, phone: string, name: string) => ({ line, phone, body_params: [name], header_params: [] });
  const rows = [row(1, '+919876543210', ''), row(2, '+919876543210', 'Asha'), row(3, '+12015550100', 'Bo'), row(4, '919876543210', '')];
  const { faults, phones } = checkRows(template, rows);
  expect(faults).toEqual([
    { line: 1, field: 'body_params', message: 'must not hold an empty value' },
    { line: 4, field: 'phone', message: 'is the same as in line 2' },
    { line: 4, field: 'body_params', message: 'must not hold an empty value' },
  ]);
  expect(phones).toEqual(['919876543210', '12015550100']);
});

it('spec §10: reports missing values of buttons, and ends of addresses that a URL parser would rewrite', () => {
  const button_parameters = [
    { index: 0, takes: 'link' },
    { index: 1, takes: 'coupon' },
  ];
  const template = { body_variables: [], header_format: null, header_variables: [], button_parameters } as unknown as TemplateShape;
  const row = (line: number, button_params?: string[]) => ({
    ...{ line, phone: `1201555${1_000 + line}`, body_params: [], header_params: [] },
    ...(button_params && { button_params }),
  });
  const { faults } = checkRows(template, [row(1, ['orders/7', 'SAVE 10']), row(2, ['a b', 'SAVE']), row(3, ['orders/7']), row(4)]);
  expect(faults.map(({ line, field }) => [line, field])).toEqual([2, 3, 4].map((line) => [line, 'button_params']));
});
