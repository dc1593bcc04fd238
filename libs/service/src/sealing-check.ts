import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { Sealer, SealingError } from '@mgw/sealing';

/**
 * A provider that lets no service start with other keys than its secrets were sealed with (guarantees §9): it would fail, one by
 * one and for good, all that needs a secret.
 * @param anyOne SQL of any one secret that is stored: `sealed`, `context`
 */
export function sealingCheck(anyOne: string): Type {
  @Injectable()
  class SealingCheck implements OnModuleInit {
    constructor(
      private readonly db: Database,
      private readonly sealer: Sealer,
    ) {}

    async onModuleInit(): Promise<void> {
      const [stored] = await this.db.query<{ sealed: string; context: string }>(anyOne);
      if (stored === undefined) return;
      try {
        this.sealer.open(stored.sealed, stored.context);
      } catch {
        throw new SealingError('SEALING_KEYS does not open the secrets that are stored: start with the keys of before');
      }
    }
  }
  return SealingCheck;
}
