import { createHash } from 'node:crypto';
import { Type, type Static, type TObject } from '@sinclair/typebox';
import type { Clock } from '../clock';
import { bytes as someBytes, digits } from '../random';

const described = {
  id: Type.String(),
  phone_number_id: Type.String(),
  mime_type: Type.String(),
  /** Milliseconds since 1970. */
  expires_at: Type.Number(),
};
export interface MediaFile extends Static<TObject<typeof described>> {
  bytes: Buffer;
}

export const MediaStoreState = Type.Object({
  files: Type.Array(Type.Object({ ...described, /** Base64. */ bytes: Type.String() })),
  links: Type.Array(Type.Object({ token: Type.String(), id: Type.String(), expires_at: Type.Number() })),
});

const DAY_MS = 86_400_000;
/** Lifetimes of uploaded and of customers' files (platform §4.4, §5). */
const LIFE_MS = { uploaded: 30 * DAY_MS, received: 7 * DAY_MS };
const LINK_LIFE_MS = 5 * 60_000;
const MAX_FILES = 1_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_LINKS = 1_000;

/** Uploaded and customers' files: the newest thousand, or as many as fit into 256 MB. */
export class MediaStore {
  private readonly files = new Map<string, MediaFile>();
  private readonly links = new Map<string, { id: string; expires_at: number }>();
  private size = 0;

  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  add(phoneNumberId: string, mimeType: string, bytes: Buffer, origin: keyof typeof LIFE_MS): MediaFile {
    const id = digits(16, this.random);
    const file = { id, phone_number_id: phoneNumberId, mime_type: mimeType, expires_at: this.clock.now() + LIFE_MS[origin], bytes };
    this.keep(file);
    return file;
  }

  /** Undefined for an unknown or expired file. */
  get(id: string): MediaFile | undefined {
    const file = this.files.get(id);
    return file && file.expires_at > this.clock.now() ? file : undefined;
  }

  delete(id: string): void {
    const file = this.files.get(id);
    if (!file) return;
    this.files.delete(id);
    this.size -= file.bytes.length;
  }

  /** @returns the secret part of a URL that is valid for five minutes */
  createLink(id: string): string {
    const token = someBytes(24, this.random).toString('base64url');
    this.links.set(token, { id, expires_at: this.clock.now() + LINK_LIFE_MS });
    if (this.links.size > MAX_LINKS) this.links.delete(this.links.keys().next().value as string);
    return token;
  }

  byLink(token: string): MediaFile | undefined {
    const link = this.links.get(token);
    return link && link.expires_at > this.clock.now() ? this.get(link.id) : undefined;
  }

  clear(): void {
    this.files.clear();
    this.links.clear();
    this.size = 0;
  }

  /** @param mostBytes keeps the newest files that fit */
  state(mostBytes = Infinity): Static<typeof MediaStoreState> {
    let size = this.size;
    const kept = [...this.files.values()].filter(({ bytes }) => {
      const fits = size <= mostBytes;
      size -= bytes.length;
      return fits;
    });
    const files = kept.map(({ bytes, ...file }) => ({ ...file, bytes: bytes.toString('base64') }));
    return { files, links: [...this.links].map(([token, link]) => ({ token, ...link })) };
  }

  restore({ files, links }: Static<typeof MediaStoreState>): void {
    this.clear();
    for (const { bytes, ...file } of files) this.keep({ ...file, bytes: Buffer.from(bytes, 'base64') });
    for (const { token, ...link } of links) this.links.set(token, link);
  }

  private keep(file: MediaFile): void {
    this.files.set(file.id, file);
    this.size += file.bytes.length;
    while (this.files.size > MAX_FILES || this.size > MAX_BYTES) this.delete(this.files.keys().next().value as string);
  }
}

export const sha256 = (bytes: Buffer, encoding: 'hex' | 'base64') => createHash('sha256').update(bytes).digest(encoding);
