import { optOutRows } from './opt-out-rows';

describe('a file of opted-out contacts', () => {
  it('has columns by name, quoted cells, and opts out of everything without a state', async () => {
    const rows = await optOutRows(
      '\uFEFFPhone,reason,state,source\r\n+1 201 555 0177,"Letter, ""signed""",blocked,api\r\n\r\n12015550178,,,\r\n',
    );
    expect(rows).toEqual([
      { phone: '+1 201 555 0177', state: 'blocked', reason: 'Letter, "signed"' },
      { phone: '12015550178', state: 'opted_out' },
    ]);
  });

  it('needs a first line with the columns', async () => {
    await expect(optOutRows('12015550177\n12015550178\n')).rejects.toThrow('first line');
  });
});
