import type { TemplateShape } from '@mgw/contracts';
import { checkRows } from './check-rows';

it('guarantees §10, N1: values that are longer together than WhatsApp takes are a fault of their row', () => {
  const body_variables = ['1', '2', '3', '4', '5'];
  const template = { body_variables, header_format: null, header_variables: [], button_parameters: [] } as unknown as TemplateShape;
  const row = (line: number, length: number) => ({
    line,
    phone: `1201555${1_000 + line}`,
    body_params: body_variables.map(() => 'x'.repeat(length)),
    header_params: [],
  });
  expect(checkRows(template, [row(1, 800), row(2, 1_000)]).faults).toEqual([
    { line: 2, field: 'body_params', message: 'and header_params must have at most 4096 characters altogether' },
  ]);
});
