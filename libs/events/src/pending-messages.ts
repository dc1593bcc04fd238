import type { PendingMessage } from './pending-message';

/** Bytes of messages that a consumer holds; a larger message is pulled alone. */
const MAX_HELD_BYTES = 2 * 1024 ** 2;

/** Messages that were delivered and are neither acknowledged nor returned, bounded in number and bytes. */
export class PendingMessages {
  private readonly held = new Map<string, PendingMessage>();
  private bytes = 0;

  constructor(private readonly mostMessages: number) {}

  get size(): number {
    return this.held.size;
  }

  get(key: string): PendingMessage | undefined {
    return this.held.get(key);
  }

  add(message: PendingMessage): void {
    this.held.set(message.key, message);
    this.bytes += message.bytes;
  }

  delete(key: string): void {
    this.bytes -= this.held.get(key)?.bytes ?? 0;
    this.held.delete(key);
  }

  clear(): void {
    this.held.clear();
    this.bytes = 0;
  }

  values(): Iterable<PendingMessage> {
    return this.held.values();
  }

  /** How much may be requested now; undefined until half of the space is free. */
  requestable(): { messages: number; bytes: number } | undefined {
    const { messages, bytes } = this.free;
    return messages >= this.mostMessages / 2 && this.isHalfEmpty ? { messages, bytes } : undefined;
  }

  get free(): { messages: number; bytes: number } {
    return { messages: this.mostMessages - this.held.size, bytes: MAX_HELD_BYTES - this.bytes };
  }

  get isHalfEmpty(): boolean {
    return this.bytes <= MAX_HELD_BYTES / 2;
  }
}
