import { isMarket, marketName, marketOf } from './index';

describe('decision 521: the market of a recipient is its calling code', () => {
  it.each([
    ['919876543210', '91'],
    ['12015550100', '1'],
    ['18765550100', '1876'],
    ['447911123456', '44'],
    ['77012345678', '77'],
    ['79012345678', '7'],
    ['971501234567', '971'],
    ['IN.7300048815526109342', '91'],
    ['JM.1', '1876'],
    ['ZZ.1', null],
    ['999', null],
    ['', null],
  ])('%s: %s', (recipient, market) => expect(marketOf(recipient)).toBe(market));

  it('has names', () => {
    expect([marketName('1'), marketName('91'), marketName('*')]).toEqual(['United States, Canada', 'India', '']);
    expect([isMarket('1'), isMarket('1204')]).toEqual([true, false]);
  });
});
