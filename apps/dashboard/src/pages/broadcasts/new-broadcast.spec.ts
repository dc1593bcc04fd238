import type { Template } from '../templates/template-values';
import { fieldsOf, isColumn, isMapped, mapByNames, recipientsOf, type Mapping } from './mapping';
import { readTable } from './recipients-table';
import { checkedFaults, longRows } from './row-faults';
import { localTime, momentOf } from '../../components/local-time';
import { startFault } from './start-time';

const template = {
  header_type: 'DOCUMENT',
  header_text: null,
  content: 'Hi {{1}}, {{2}}',
  variables: ['name', '2'],
  components: [],
} as unknown as Template;
const fields = fieldsOf(template);

describe('a new broadcast (decisions 452, 453)', () => {
  it('reads CSV, semicolons and copied cells, with the lines of the file, and undoes the guard of a download', () => {
    expect(readTable('\ufeffPhone,Name\r\n\r\n+1 201 555 0100,"Doe, ""J"""\r\n12015550101,\'=1\r\n12015550102,\'\'=1')).toEqual({
      names: ['Phone', 'Name'],
      rows: [
        { line: 3, cells: ['+1 201 555 0100', 'Doe, "J"'] },
        { line: 4, cells: ['12015550101', '=1'] },
        { line: 5, cells: ['12015550102', "'=1"] },
      ],
    });
    expect(readTable('phone;name\n1;Doe, John').rows[0]?.cells).toEqual(['1', 'Doe, John']);
    expect(readTable('phone\tname\n1\tDoe, John').rows[0]?.cells).toEqual(['1', 'Doe, John']);
    expect(readTable('+1 201 555 0100,Asha')).toEqual({
      names: ['Column 1', 'Column 2'],
      rows: [{ line: 1, cells: ['+1 201 555 0100', 'Asha'] }],
    });
  });

  it('reads 20,000 rows, and refuses more, an empty list and one that is too large', () => {
    const list = (rows: number) => `phone,name\n${'12015550100,Asha\n'.repeat(rows)}`;
    expect(readTable(list(20_000)).rows).toHaveLength(20_000);
    expect(() => readTable(list(20_001))).toThrow('at most 20000');
    expect(() => readTable('phone,name\n')).toThrow('no rows');
    expect(() => readTable('x'.repeat(8_000_001))).toThrow('larger than 8 MB');
    expect(() => readTable('phone\n"open')).toThrow();
  });

  it('maps columns by their names, then in their order, and keeps a text for everybody', () => {
    const columns = ['id', 'Name', 'Mobile'];
    const mapping = mapByNames(fields, columns, { header_1: { text: 'https://example.com/a.pdf' } });
    expect(mapping).toEqual({
      header_1: { text: 'https://example.com/a.pdf' },
      phone: { column: 2, name: 'Mobile' },
      body_name: { column: 1, name: 'Name' },
      body_2: { column: 0, name: 'id' },
    });
    expect(isMapped(fields, mapping)).toBe(true);
    expect(isMapped(fields, { ...mapping, header_1: { text: ' ' } })).toBe(false);
    expect(recipientsOf(fields, mapping, { names: columns, rows: [{ line: 2, cells: ['7', 'Asha'] }] })).toEqual([
      { phone: '', header_params: ['https://example.com/a.pdf'], body_params: ['Asha', '7'] },
    ]);
  });

  it('decision 728: keeps a column by its name, and leaves a field whose chosen column is gone to the person', () => {
    const chosen = (column: number, name: string) => ({ column, name, isChosen: true as const });
    const own = fields.filter(({ key }) => key === 'phone' || key.startsWith('body_'));
    const first = { ...mapByNames(own, ['phone', 'first', 'order', 'total']), body_2: chosen(3, 'total') };
    expect(mapByNames(own, ['Total', 'Order', 'First', 'Phone'], first)).toEqual({
      phone: { column: 3, name: 'phone' },
      body_name: { column: 2, name: 'first' },
      body_2: chosen(0, 'total'),
    });
    const shorter = mapByNames(own, ['phone', 'first', 'order'], first);
    expect(shorter['body_2']).toEqual({ column: null, name: 'total', isChosen: true });
    expect(isMapped(own, shorter)).toBe(false);
    // A correction in steps: the column comes back.
    expect(mapByNames(own, ['phone', 'first', 'order', 'total'], shorter)).toEqual(first);
    // A column that nobody chose is looked for again by its name, but not by its place.
    const renamed = mapByNames(own, ['mobile', 'x', 'y'], mapByNames(own, ['phone', 'first', 'order']));
    expect(renamed).toMatchObject({ phone: { column: 0 }, body_name: { column: null, name: 'first' }, body_2: { column: null } });
    // With two columns of the name, only the one at the same place is certain.
    const twice = (column: number) => mapByNames(own, ['phone', 'total', 'total'], { body_2: chosen(column, 'total') })['body_2'];
    expect([twice(2), twice(3)]).toEqual([chosen(2, 'total'), { ...chosen(3, 'total'), column: null }]);
    // Two fields with columns of one name do not get the only column that is left, even if the name was missing in between.
    const columns = (names: string[], kept: Mapping) =>
      Object.values(mapByNames(own, names, kept)).map((source) => isColumn(source) && source.column);
    const values = mapByNames(own, ['phone', 'value', 'value']);
    expect(columns(['phone', 'value', 'note'], values)).toEqual([0, 1, null]);
    expect(columns(['phone', 'note', 'x', 'value'], values)).toEqual([0, null, null]);
    expect(columns(['phone', 'value'], mapByNames(own, ['phone', 'note'], values))).toEqual([0, null, null]);
    // Two fields of one column follow it.
    expect(columns(['total', 'phone'], { ...values, body_name: chosen(1, 'total'), body_2: chosen(1, 'total') })).toEqual([1, 0, 0]);
    const none = mapByNames(fields, ['phone', 'header_1', 'header_2'], { header_2: null });
    expect(none).toMatchObject({ header_1: { column: 1 }, header_2: null });
  });

  it('decision 728: keeps the source of a variable in another language, whose text has the variables in another order', () => {
    const inLanguage = (variables: string[], header_text: string) =>
      fieldsOf({ header_type: 'TEXT', header_text, variables, components: [] } as unknown as Template);
    const [english, hindi] = [
      inLanguage(['first_name', 'order_id'], '{{shop}} in {{city}}'),
      inLanguage(['order_id', 'first_name', 'total'], '{{city}}: {{shop}}'),
    ];
    const table = readTable('phone,first_name,order_id,header_1,header_2,sum\n12015550100,Asha,1007,Kaveri,Pune,99');
    const mapping = mapByNames(english, table.names);
    expect(recipientsOf(english, mapping, table)).toMatchObject([{ body_params: ['Asha', '1007'], header_params: ['Kaveri', 'Pune'] }]);
    expect(recipientsOf(hindi, mapByNames(hindi, table.names, mapping), table)).toMatchObject([
      { body_params: ['1007', 'Asha', '99'], header_params: ['Pune', 'Kaveri'] },
    ]);
  });

  it('takes the values of buttons from their columns', () => {
    const components = [
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'COPY_CODE', text: 'Copy' },
          { type: 'QUICK_REPLY', text: 'Yes' },
        ],
      },
    ];
    const own = fieldsOf({ header_type: null, header_text: null, variables: [], components } as unknown as Template);
    const table = readTable('button_1,phone\nSAVE,+12015550100');
    expect(recipientsOf(own, mapByNames(own, table.names), table)).toEqual([
      { phone: '+12015550100', body_params: [], button_params: ['SAVE'] },
    ]);
  });

  it('names the lines and columns of the file in faults', () => {
    const table = readTable('id,Mobile\n\n1,12\n2,12,3\n');
    expect(longRows(table)).toEqual([{ line: 4, field: 'row', message: 'has 3 cells, and the heading 2' }]);
    const fault = { line: 2, field: 'phone', message: 'is the same as in line 1' };
    expect(checkedFaults([fault], table, fields, { phone: { column: 1, name: 'Mobile' } })).toEqual([
      { line: 4, field: 'Mobile', message: 'is the same as in line 3' },
    ]);
  });

  it('names in the words of the list which column is empty, or which values are wrong', () => {
    const table = readTable('Mobile,Name,City\n+12015550100, ,\n+12015550101,Asha,Pune');
    const own = fieldsOf({ header_type: null, header_text: null, variables: ['1', '2'], components: [] } as unknown as Template);
    // A variable that another language has, or the text had before, counts no longer.
    const mapping = { ...mapByNames(own, table.names), body_city: { column: 3, name: 'Old' } };
    const faults = [
      { line: 1, field: 'body_params', message: 'must not hold an empty value' },
      { line: 2, field: 'header_params', message: 'must hold 1 values; the row has 0' },
    ];
    expect(checkedFaults(faults, table, own, mapping)).toEqual([
      { line: 2, field: 'Name, City', message: 'is empty' },
      { line: 3, field: 'the values of the header', message: 'must hold 1 values; the row has 0' },
    ]);
  });

  it('labels values by the examples of the template, in the sample too', () => {
    const components = [{ type: 'BODY', text: 'Hi {{1}}, {{2}}', example: { body_text: [['Asha', '1007']] } }];
    const numbered = fieldsOf({ header_type: null, header_text: null, variables: ['1', '2'], components } as unknown as Template);
    expect(numbered.map(({ label, example }) => [label, example])).toEqual([
      ['Phone number', '919876543210'],
      ['{{1}}, such as Asha', 'Asha'],
      ['{{2}}, such as 1007', '1007'],
    ]);
    expect(fields.map(({ label }) => label).slice(-2)).toEqual(['{{1}} name', '{{2}}']);
    expect(fields.map(({ example }) => example).slice(-2)).toEqual(['name', undefined]);
  });

  it('pairs the examples of named variables by name', () => {
    const params = (...named: [string, string][]) => named.map(([param_name, example]) => ({ param_name, example }));
    const text = 'Hi {{1}}, {{2}}';
    const components = [
      {
        type: 'HEADER',
        format: 'TEXT',
        text: 'For {{shop}}',
        example: { header_text_named_params: params(['city', 'Pune'], ['shop', 'Kaveri']) },
      },
      { type: 'BODY', text, example: { body_text_named_params: params(['first_name', 'Asha'], ['order_id', '1007']) } },
    ];
    const variables = ['order_id', 'first_name'];
    const named = fieldsOf({ header_type: 'TEXT', header_text: 'For {{shop}}', variables, components } as unknown as Template);
    expect(named.slice(1).map(({ label, example }) => [label, example])).toEqual([
      ['Header: {{shop}}, such as Kaveri', 'Kaveri'],
      ['{{1}} order_id, such as 1007', '1007'],
      ['{{2}} first_name, such as Asha', 'Asha'],
    ]);
  });

  it.each([
    ['2026-07-01T09:00', 'Asia/Kolkata', '2026-07-01T03:30:00.000Z'],
    // Clocks in Berlin go forward from 2:00 to 3:00, and back from 3:00 to 2:00.
    ['2026-03-29T02:30', 'Europe/Berlin', null],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['2026-12-31T23:59', 'Pacific/Kiritimati', '2026-12-31T09:59:00.000Z'],
    ['', 'UTC', null],
    ['12026-07-01T09:00', 'UTC', null],
  ])('starts at %s in %s at %s', (local, zone, expected) => {
    const moment = momentOf(local, zone);
    expect(moment?.toISOString() ?? null).toBe(expected);
    if (moment && expected !== '2026-10-25T00:30:00.000Z') expect(localTime(moment.getTime(), zone)).toBe(local);
  });

  it('takes a year of five digits for no date', () =>
    expect(startFault('12026-07-01T09:00', 'UTC')).toBe('Choose a date and a time, or switch off “Send later”.'));
});
