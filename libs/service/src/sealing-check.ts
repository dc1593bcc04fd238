import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { Sealer, SealingError } from '@mgw/sealing';

/**
 * A provider that prevents a start with the wrong keys (guarantees §9): every operation that needs a secret would fail.
 * @param anyOne SQL that selects any stored secret: `sealed`, `context`
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
        throw new SealingError('SEALING_KEYS does not open the stored secrets: start with the previous keys');
      }
    }
  }
  return SealingCheck;
}
