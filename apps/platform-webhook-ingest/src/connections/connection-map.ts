import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListedConnection } from '@mgw/contracts';
import { idsIn, numbersIn } from './callback-ids';

/** A callback chooses at most this many secrets by the numbers and accounts that it names. All businesses of one app share a secret. */
const MAX_CANDIDATES = 4;
/** Trying all secrets yields to requests and probes this often, in milliseconds. */
const YIELD_EVERY_MS = 10;

type SecretName = 'app_secret' | 'verify_token';
/** Opens a secret of a business. Returns an empty text for one that does not open, because it must not disable the others. */
export type Open = (sealed: string, name: SecretName, business_id: number) => string;

/** The secrets of each business, and the businesses that claim each number and account. */
export class ConnectionMap {
  private readonly holdersBySecret = new Map<string, number[]>();
  private readonly secretsByBusiness = new Map<number, string[]>();
  private readonly businessesByVerifyToken = new Map<string, number[]>();
  /** The strongest claim first. */
  private readonly claimsByNumber = new Map<string, number[]>();
  private readonly claimsByAccount = new Map<string, number[]>();
  private readonly verified = new Set<number>();

  /** @param readAt when the read of the connections began, as `performance.now()` */
  constructor(
    connections: ListedConnection[],
    open: Open,
    readonly readAt: number,
  ) {
    for (const connection of [...connections].sort(byStrengthOfClaim)) this.add(connection, open);
  }

  get secrets(): number {
    return this.holdersBySecret.size;
  }

  /** The businesses with the secret that made this signature over these bytes. Tries only secrets of businesses that the callback names. */
  signersNamed(body: Buffer, signature: Buffer): number[] {
    for (const secret of this.candidates(body).slice(0, MAX_CANDIDATES)) {
      if (isSignedWith(secret, body, signature)) return this.holders(secret);
    }
    return [];
  }

  /** Like `signersNamed`, but tries every secret: the cost grows with the number of businesses. */
  async anySigners(body: Buffer, signature: Buffer): Promise<number[]> {
    let yieldAt = performance.now() + YIELD_EVERY_MS;
    for (const secret of this.holdersBySecret.keys()) {
      if (isSignedWith(secret, body, signature)) return this.holders(secret);
      if (performance.now() < yieldAt) continue;
      await nextTurn();
      yieldAt = performance.now() + YIELD_EVERY_MS;
    }
    return [];
  }

  /** Whether the callback names a connected business, and few enough that `signersNamed` tries the secrets of all. */
  triesAllNamed(body: Buffer): boolean {
    const { length } = this.candidates(body);
    return length > 0 && length <= MAX_CANDIDATES;
  }

  /** The first business that the callback names and whose secret signed it. */
  signerNamed(body: Buffer, signers: number[]): number | undefined {
    const set = new Set(signers);
    for (const businessId of this.named(body)) if (set.has(businessId)) return businessId;
    return undefined;
  }

  /**
   * The signers of a callback, and every business that has an app secret of one of them now: it would be a signer if the callback came again.
   */
  withSameSecret(signers: number[]): number[] {
    const secrets = signers.flatMap((businessId) => this.secretsByBusiness.get(businessId) ?? []);
    return [...new Set([...signers, ...secrets.flatMap((secret) => this.holders(secret))])];
  }

  /** Compares hashes, so that the time reveals nothing about the token. */
  businessesWithVerifyToken(token: string): number[] {
    return this.businessesByVerifyToken.get(digest(token)) ?? [];
  }

  isConnected(phoneNumberId: string): boolean {
    return this.claimsByNumber.has(phoneNumberId);
  }

  /**
   * The business that receives the updates of a number: the only signer that claims it or, of several, the one with the strongest
   * verified claim (decision 255).
   */
  ownerOfNumber(phoneNumberId: string, signers: ReadonlySet<number>): number | undefined {
    const claims = (this.claimsByNumber.get(phoneNumberId) ?? []).filter((businessId) => signers.has(businessId));
    return claims.length <= 1 ? claims[0] : claims.find((businessId) => this.verified.has(businessId));
  }

  /** The signers that claim an account: several numbers of one account may belong to several businesses. */
  ownersOfAccount(businessAccountId: string, signers: ReadonlySet<number>): number[] {
    return (this.claimsByAccount.get(businessAccountId) ?? []).filter((businessId) => signers.has(businessId));
  }

  /** The distinct secrets of the businesses that the callback names. The search ends above the limit, which the caller checks. */
  private candidates(body: Buffer): string[] {
    const found = new Set<string>();
    for (const businessId of this.named(body)) {
      for (const secret of this.secretsByBusiness.get(businessId) ?? []) found.add(secret);
      if (found.size > MAX_CANDIDATES) break;
    }
    return [...found];
  }

  private *named(body: Buffer): Generator<number, undefined> {
    for (const number of numbersIn(body)) yield* this.claimsByNumber.get(number) ?? [];
    for (const id of idsIn(body)) yield* this.claimsByAccount.get(id) ?? [];
    return undefined;
  }

  private holders(secret: string): number[] {
    return this.holdersBySecret.get(secret) ?? [];
  }

  private add(connection: ListedConnection, open: Open): void {
    const { business_id } = connection;
    const secrets = [connection.app_secret_sealed, connection.previous_app_secret_sealed]
      .flatMap((sealed) => sealed ?? [])
      .map((sealed) => open(sealed, 'app_secret', business_id))
      .filter((secret) => secret !== '');
    const token = open(connection.verify_token_sealed, 'verify_token', business_id);
    for (const secret of new Set(secrets)) append(this.holdersBySecret, secret, business_id);
    this.secretsByBusiness.set(business_id, secrets);
    if (token) append(this.businessesByVerifyToken, digest(token), business_id);
    if (connection.number_verified_at !== null) this.verified.add(business_id);
    append(this.claimsByNumber, connection.phone_number_id, business_id);
    append(this.claimsByAccount, connection.business_account_id, business_id);
  }
}

function isSignedWith(secret: string, body: Buffer, signature: Buffer): boolean {
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), signature);
}

/** Verified claims come first; among them those that the platform does not refuse now, then the oldest. */
function byStrengthOfClaim(a: ListedConnection, b: ListedConnection): number {
  const rank = (one: ListedConnection) => (one.number_verified_at === null ? 2 : Number(one.status === 'problem'));
  const age = (one: ListedConnection) => one.number_verified_at ?? '';
  return rank(a) - rank(b) || age(a).localeCompare(age(b)) || a.business_id - b.business_id;
}

function append(lists: Map<string, number[]>, key: string, businessId: number): void {
  const list = lists.get(key);
  if (list) list.push(businessId);
  else lists.set(key, [businessId]);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
