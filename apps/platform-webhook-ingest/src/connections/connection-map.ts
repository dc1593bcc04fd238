import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Connection } from '@mgw/contracts';
import type { Logger } from '@mgw/telemetry';
import { idsIn, numbersIn } from './callback-ids';

/** Secrets that a callback may choose by the numbers and accounts it names. All businesses of one app share a secret. */
const MOST_CANDIDATES = 4;

type Open = (sealed: string, context: string) => string;

/** The secrets of each business, and the business of each number and account. */
export class ConnectionMap {
  /** The businesses with each secret. */
  private readonly holders = new Map<string, number[]>();
  private readonly secretsOf = new Map<number, string[]>();
  private readonly verifyTokens = new Set<string>();
  private readonly byNumber = new Map<string, number>();
  private readonly byAccount = new Map<string, number[]>();

  constructor(connections: Connection[], open: Open, logger: Logger) {
    for (const connection of connections) {
      try {
        this.add(connection, open);
      } catch (error) {
        logger.error({ err: error, business_id: connection.business_id }, 'the secrets of a connection cannot be opened');
      }
    }
  }

  get secrets(): number {
    return this.holders.size;
  }

  /** The businesses with the secret that made this signature over these bytes. Tries only the secrets of the businesses that the callback names. */
  signersNamed(body: Buffer, signature: Buffer): number[] {
    return this.holdersOf(this.candidates(body), body, signature);
  }

  /** As `signersNamed`, with every secret: the cost grows with the number of businesses. */
  anySigners(body: Buffer, signature: Buffer): number[] {
    return this.holdersOf(this.holders.keys(), body, signature);
  }

  /** Whether the callback names a number or an account of a connected business. */
  knows(body: Buffer): boolean {
    return this.named(body).next().value !== undefined;
  }

  /** The first business that the callback names. */
  businessNamed(body: Buffer): number | undefined {
    return this.named(body).next().value;
  }

  /** Looks the token up by its hash, so that the time says nothing about the token. */
  knowsVerifyToken(token: string): boolean {
    return this.verifyTokens.has(digest(token));
  }

  businessOfNumber(phoneNumberId: string): number | undefined {
    return this.byNumber.get(phoneNumberId);
  }

  businessesOfAccount(businessAccountId: string): number[] {
    return this.byAccount.get(businessAccountId) ?? [];
  }

  private candidates(body: Buffer): Set<string> {
    const found = new Set<string>();
    for (const businessId of this.named(body)) {
      for (const secret of this.secretsOf.get(businessId) ?? []) found.add(secret);
      if (found.size >= MOST_CANDIDATES) break;
    }
    return found;
  }

  private *named(body: Buffer): Generator<number, undefined> {
    for (const number of numbersIn(body)) {
      const businessId = this.byNumber.get(number);
      if (businessId !== undefined) yield businessId;
    }
    for (const id of idsIn(body)) yield* this.businessesOfAccount(id);
    return undefined;
  }

  private holdersOf(secrets: Iterable<string>, body: Buffer, signature: Buffer): number[] {
    for (const secret of secrets) {
      if (timingSafeEqual(createHmac('sha256', secret).update(body).digest(), signature)) return this.holders.get(secret) ?? [];
    }
    return [];
  }

  private add(connection: Connection, open: Open): void {
    const { business_id } = connection;
    const secrets = [connection.app_secret_sealed, connection.previous_app_secret_sealed]
      .flatMap((sealed) => sealed ?? [])
      .map((sealed) => open(sealed, `connection.app_secret:${business_id}`))
      .filter((secret) => secret !== '');
    const token = open(connection.verify_token_sealed, `connection.verify_token:${business_id}`);
    for (const secret of new Set(secrets)) this.holders.set(secret, [...(this.holders.get(secret) ?? []), business_id]);
    this.secretsOf.set(business_id, secrets);
    if (token) this.verifyTokens.add(digest(token));
    this.byNumber.set(connection.phone_number_id, business_id);
    this.byAccount.set(connection.business_account_id, [...this.businessesOfAccount(connection.business_account_id), business_id]);
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
