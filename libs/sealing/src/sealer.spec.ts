import { randomBytes } from 'node:crypto';
import { Sealer, SealingError } from './index';

const ring = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('sealing (guarantees §9)', () => {
  const old = ring('2025');
  const sealer = new Sealer(old);

  it('opens a sealed text with the same context only', () => {
    const sealed = sealer.seal('тайна ✓', 'webhook.secret:7');
    expect(sealed).not.toContain('тайна');
    expect(sealer.open(sealed, 'webhook.secret:7')).toBe('тайна ✓');
    expect(() => sealer.open(sealed, 'webhook.secret:8')).toThrow(SealingError);
  });

  it('never seals to the same bytes twice', () => {
    expect(sealer.seal('a', 'x')).not.toBe(sealer.seal('a', 'x'));
  });

  it('compares secrets without their bytes; one that does not open is like no other', () => {
    const [one, same, other] = ['a', 'a', 'b'].map((secret) => sealer.seal(secret, 'x')) as [string, string, string];
    expect(sealer.isSame(one, same, 'x')).toBe(true);
    expect(sealer.isSame(one, other, 'x')).toBe(false);
    expect(sealer.isSame(one, one, 'y')).toBe(false);
  });

  it('rotates: a ring with the old key behind the new one opens both', () => {
    const rotated = new Sealer(`${ring('2026')},${old}`);
    expect(rotated.open(sealer.seal('a', 'x'), 'x')).toBe('a');
    expect(() => sealer.open(rotated.seal('a', 'x'), 'x')).toThrow(SealingError);
  });

  it('refuses changed bytes and malformed rings', () => {
    const sealed = sealer.seal('a', 'x');
    const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
    expect(() => sealer.open(changed, 'x')).toThrow(SealingError);
    expect(() => sealer.open('', 'x')).toThrow(SealingError);
    expect(() => new Sealer('k1:c2hvcnQ=')).toThrow(SealingError);
    expect(() => new Sealer('')).toThrow(SealingError);
  });

  it('refuses two keys with one id, because the second would replace the first', () => {
    expect(() => new Sealer(`${ring('a')},${ring('b')},${ring('a')}`)).toThrow(new SealingError('must not have two keys with the id "a"'));
  });
});
