import type { Logger } from './logger';

/** How often the same failure is logged, in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Logs a failure of work that is retried every moment: at once, then once a minute while its text stays the same, with `repeats`, the
 * number of failures since the line before (decision 783).
 */
export class RepeatedWarning {
  private text: string | undefined;
  private loggedAt = -Infinity;
  private repeats = 0;

  constructor(
    private readonly logger: Logger,
    private readonly message: string,
    private readonly fields: object = {},
  ) {}

  warn(error: unknown): void {
    // Numbers of files, ports and times differ each time.
    const text = String(error).replace(/\d+/g, '');
    this.repeats += 1;
    const now = performance.now();
    if (text === this.text && now - this.loggedAt < EVERY_MS) return;
    const isRepeated = this.text !== undefined;
    this.logger.warn({ err: error, ...this.fields, ...(isRepeated && { repeats: this.repeats }) }, this.message);
    [this.text, this.loggedAt, this.repeats] = [text, now, 0];
  }
}
