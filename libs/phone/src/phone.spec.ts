import { isBusinessScopedId, normalizePhone } from './index';

describe('phone numbers (spec §2.1, decision 8)', () => {
  it.each([
    ['90000 55501', '919000055501'],
    ['(900) 005-5501', '919000055501'],
    ['6000000000', '916000000000'],
    ['5000000000', '5000000000'],
    ['919000055501', '919000055501'],
    ['+919000055501', '919000055501'],
    ['+1 (201) 555-0123', '12015550123'],
    ['+65 8134 0984', '6581340984'],
    [' +65 8134 0984', '6581340984'],
    ['(+65) 8134-0984', '6581340984'],
    ['- (+65)81340984', '6581340984'],
    ['65+81340984', '916581340984'],
    ['6581340984', '916581340984'],
    ['IN.7300048815526109342', 'IN.7300048815526109342'],
    ['US.ENT.abc123', 'US.ENT.abc123'],
    ['123456789012345', '123456789012345'],
    ['1234567', '1234567'],
  ])('%s becomes %s', (input, value) => expect(normalizePhone(input)).toEqual({ ok: true, value }));

  it.each([
    '',
    '   ',
    '+',
    '123456',
    '1234567890123456',
    '0900005550',
    '12a4567',
    '９０００055501',
    '90000.55501',
    '900005\t5501',
    'in.7300',
    'IN.',
    '90000\n55501',
  ])('%j is refused with a reason', (input) =>
    expect(normalizePhone(input)).toMatchObject({ ok: false, reason: expect.stringMatching(/^must /) as string }),
  );

  it('recognizes business-scoped user ids', () => {
    expect([isBusinessScopedId('GB.5520'), isBusinessScopedId('919000055501')]).toEqual([true, false]);
  });
});
