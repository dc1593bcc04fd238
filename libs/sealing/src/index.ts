import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The key ring is malformed, or a text was sealed with another key or for another context. It never contains the content. */
export class SealingError extends Error {
  override readonly name = 'SealingError';
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals secrets at rest and between services with AES-256-GCM (guarantees §9). The first key of the ring seals and every key opens: put a
 * new key first, and remove the old one when no secret is sealed with it.
 */
export class Sealer {
  private readonly keys = new Map<string, Buffer>();
  private readonly current: string;

  /** @param ring `id:base64 of 32 bytes`, comma-separated, the newest first. */
  constructor(ring: string) {
    for (const entry of ring.split(',')) {
      const [id = '', encoded = ''] = entry.trim().split(':');
      const key = Buffer.from(encoded, 'base64');
      if (!/^[\w-]{1,32}$/.test(id) || key.length !== KEY_BYTES) throw new SealingError('must be keys of the form id:base64');
      if (this.keys.has(id)) throw new SealingError(`must not have two keys with the id "${id}"`);
      this.keys.set(id, key);
    }
    this.current = this.keys.keys().next().value as string;
  }

  /** The id of the key that seals; a sealed text begins with it and a dot. */
  get keyId(): string {
    return this.current;
  }

  /** @param context the owner of the secret, for example `webhook.secret:7`; it opens only with the same context */
  seal(plain: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys.get(this.current) as Buffer, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.current}.${sealed.toString('base64url')}`;
  }

  /** The id of the key that sealed a text; empty if the text is not sealed. */
  static keyIdOf(sealed: string): string {
    return /^([\w-]{1,32})\./.exec(sealed)?.[1] ?? '';
  }

  /** Whether the ring has a key with this id, maybe with other bytes than those that sealed. */
  has(keyId: string): boolean {
    return this.keys.has(keyId);
  }

  /** @returns whether both texts hold the same secret; false if one of them does not open */
  isSame(one: string, other: string, context: string): boolean {
    const plain = this.openOrNull(one, context);
    return plain !== null && plain === this.openOrNull(other, context);
  }

  /** @returns null if the text does not open */
  openOrNull(sealed: string, context: string): string | null {
    try {
      return this.open(sealed, context);
    } catch {
      return null;
    }
  }

  /** @throws SealingError */
  open(sealed: string, context: string): string {
    const keyId = Sealer.keyIdOf(sealed);
    const key = this.keys.get(keyId);
    const bytes = Buffer.from(sealed.slice(keyId.length + 1), 'base64url');
    if (!key || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealingError('sealed with a key that is not in the ring');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      throw new SealingError('sealed for another context, or changed since');
    }
  }
}
