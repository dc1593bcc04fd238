import { hashPassword, matchingHashes } from './passwords';

describe('the places for computing hashes (guarantees N2)', () => {
  it('are divided: a network that logs in as often as it can keeps no other out', async () => {
    const stored = await hashPassword('correct horse', 'network:1');
    const check = (holder: string) => matchingHashes([stored], 'correct horse', holder);
    const flood = Promise.allSettled(Array.from({ length: 200 }, () => check('network:1')));
    expect(await Promise.all([check('network:2'), check('network:3')])).toEqual([new Set([stored]), new Set([stored])]);
    const refused = (await flood).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
  });
});
