import { loadPhoneFormats, phoneDialled, phoneShown } from './phone-shown';

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
});
