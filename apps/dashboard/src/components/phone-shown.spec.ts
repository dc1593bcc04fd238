import { loadPhoneFormats, phoneDialled, phoneShown, phoneUnderstood } from './phone-shown';

describe('phone numbers', () => {
  beforeAll(loadPhoneFormats);

  it.each([
    ['919876543210', '+91 98765 43210', '+919876543210'],
    ['+12015550100', '+1 201 555 0100', '+12015550100'],
    ['4930123456', '+49 30 123456', '+4930123456'],
    ['US.ENT.8f3kQ2', 'US.ENT.8f3kQ2', 'US.ENT.8f3kQ2'],
    ['(erased)', '(erased)', '(erased)'],
    ['', '', ''],
  ])('%s', (phone, shown, dialled) => {
    expect([phoneShown(phone), phoneDialled(phone)]).toEqual([shown, dialled]);
  });

  it.each([
    ['2015550101', '+20 15 550101 (Egypt)'],
    ['+1 (201) 555-0101', '+1 201 555 0101 (United States)'],
    ['9876543210', '+91 98765 43210 (India)'],
    ['+6581340984', '+65 8134 0984 (Singapore)'],
    ['(+65) 8134 0984', '+65 8134 0984 (Singapore)'],
    ['02015550101', null],
    ['123456', null],
    ['201555o101', null],
    ['', null],
  ])('decision 748: the gateway understands %s as %s', (typed, understood) => {
    expect(phoneUnderstood(typed)).toBe(understood);
  });
});
