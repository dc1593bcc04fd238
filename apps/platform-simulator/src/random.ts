/** Numbers from 0 to 1, the same sequence for the same seed (mulberry32). */
export class SeededRandom {
  constructor(
    /** Restoring it continues the sequence. */
    public state: number,
  ) {
    this.state >>>= 0;
  }

  readonly next = (): number => {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Decimal digits that do not begin with 0. */
export function digits(count: number, random: () => number): string {
  return Array.from({ length: count }, (_, i) => (i === 0 ? 1 + Math.floor(random() * 9) : Math.floor(random() * 10))).join('');
}

export function bytes(count: number, random: () => number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
}
