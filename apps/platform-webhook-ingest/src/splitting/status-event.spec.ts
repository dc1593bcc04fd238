import { statusEvent } from './status-event';

describe('decision 520: the price in a status (platform §4.5)', () => {
  const utility = { billable: true, category: 'utility', type: 'regular' };
  it.each<[unknown, object | undefined]>([
    [{ ...utility, pricing_model: 'PMP' }, utility],
    [{ category: 'Authentication-International' }, { billable: true, category: 'authentication-international', type: 'regular' }],
    [
      { category: 'service', type: 'free_entry_point' },
      { billable: false, category: 'service', type: 'free_entry_point' },
    ],
    [
      { billable: 'yes', category: 7, type: 'a b' },
      { billable: true, category: 'unknown', type: 'unknown' },
    ],
    [
      { ...utility, category: 'x'.repeat(41) },
      { ...utility, category: 'unknown' },
    ],
    [undefined, undefined],
    [null, undefined],
    ['free', undefined],
    [[], undefined],
  ])('%j is kept as %j', (pricing, kept) => {
    const { data } = statusEvent(1, '700100200300401', { id: 'wamid.A', status: 'sent', timestamp: '1795176200', pricing });
    expect(data.pricing).toEqual(kept);
  });
});
