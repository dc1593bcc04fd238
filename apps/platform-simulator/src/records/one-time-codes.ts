import { Type, type Static } from '@sinclair/typebox';

export const OneTimeCode = Type.Object({
  at: Type.String(),
  phone_number_id: Type.String(),
  to: Type.String(),
  template: Type.String(),
  code: Type.String(),
});

const MAX = 20;

/** The last 20 codes in AUTHENTICATION templates, so that a developer can log in without a phone (platform §8.3). */
export class OneTimeCodes {
  private codes: Static<typeof OneTimeCode>[] = [];

  add(code: Static<typeof OneTimeCode>): void {
    this.codes = [code, ...this.codes].slice(0, MAX);
  }

  /** The newest first. */
  all(): Static<typeof OneTimeCode>[] {
    return this.codes;
  }

  clear(): void {
    this.codes = [];
  }

  restore(codes: Static<typeof OneTimeCode>[]): void {
    this.codes = codes.slice(0, MAX);
  }
}
