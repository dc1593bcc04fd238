import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Connection } from '@mgw/contracts';
import type { Sealer } from '@mgw/sealing';
import type { Logger } from '@mgw/telemetry';

/** Who holds which secret, and whose a number or an account is. */
export class ConnectionMap {
  private readonly holders = new Map<string, number[]>();
  private readonly verifyTokens: Buffer[] = [];
  private readonly byNumber = new Map<string, number>();
  private readonly byAccount = new Map<string, number[]>();

  constructor(connections: Connection[], sealer: Sealer, logger: Logger) {
    for (const connection of connections) {
      try {
        this.add(connection, sealer);
      } catch (error) {
        logger.error({ err: error, business_id: connection.business_id }, 'the secrets of a connection cannot be opened');
      }
    }
  }

  /** The businesses whose app secret made this signature over these bytes; none when nobody's did. Looks at every secret. */
  signers(body: Buffer, signature: Buffer): number[] {
    const signers: number[] = [];
    for (const [secret, businesses] of this.holders) {
      if (timingSafeEqual(createHmac('sha256', secret).update(body).digest(), signature)) signers.push(...businesses);
    }
    return signers;
  }

  knowsVerifyToken(token: string): boolean {
    const given = digest(token);
    return this.verifyTokens.filter((known) => timingSafeEqual(known, given)).length > 0;
  }

  businessOfNumber(phoneNumberId: string): number | undefined {
    return this.byNumber.get(phoneNumberId);
  }

  businessesOfAccount(businessAccountId: string): number[] {
    return this.byAccount.get(businessAccountId) ?? [];
  }

  private add(connection: Connection, sealer: Sealer): void {
    const { business_id } = connection;
    const secrets = [connection.app_secret_sealed, connection.previous_app_secret_sealed]
      .flatMap((sealed) => sealed ?? [])
      .map((sealed) => sealer.open(sealed, `connection.app_secret:${business_id}`));
    const token = sealer.open(connection.verify_token_sealed, `connection.verify_token:${business_id}`);
    for (const secret of new Set(secrets)) if (secret) this.holders.set(secret, [...(this.holders.get(secret) ?? []), business_id]);
    if (token) this.verifyTokens.push(digest(token));
    this.byNumber.set(connection.phone_number_id, business_id);
    this.byAccount.set(connection.business_account_id, [...this.businessesOfAccount(connection.business_account_id), business_id]);
  }
}

/** Of equal length whatever the text, so that the comparison takes the same time. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
