import { readFileSync, renameSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Logger } from '@mgw/telemetry';
import { readRequest } from './control-requests';
import { restoreSnapshot, Snapshot, takeKeptState } from './snapshot';
import type { SimulatorParts } from '../simulator-parts';

const WRITE_EVERY_MS = 3_000;

/** Keeps the state in a file, so that a restarted simulator continues where it stopped (decision 745). */
export class StateFile {
  private hasChanged = false;
  /** The `changes` of the callbacks at the last write. */
  private callbackChanges = 0;
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly file: string,
    private readonly parts: SimulatorParts,
    private readonly logger: Logger,
  ) {}

  /** Restores the state. Moves a file that it cannot read aside and starts empty. */
  load(): void {
    const text = textOf(this.file);
    if (text === undefined) return;
    const { seeded } = this.parts;
    const random = seeded.state;
    try {
      restoreSnapshot(this.parts, readRequest(Snapshot, JSON.parse(text)));
      // A killed simulator has sent ids that the file does not know, and continuing its random numbers would repeat them.
      seeded.state = random;
    } catch (error) {
      const aside = `${this.file}.unreadable`;
      renameSync(this.file, aside);
      this.logger.error({ err: error, file: aside }, 'the state file is damaged or of another version: moved it aside, starting empty');
    }
  }

  /** Writes changes from now on. */
  start(): void {
    this.timer = setInterval(() => {
      if (this.hasChanged || this.parts.callbacks.changes !== this.callbackChanges) this.writing = this.writing.then(() => this.write());
    }, WRITE_EVERY_MS);
  }

  /** Call it after each request that may have changed the state. */
  changed(): void {
    this.hasChanged = true;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    // The state has no batches. Earlier writes leave them alone, because a flush posts them too early.
    this.parts.batches.flush();
    await this.write();
  }

  private async write(): Promise<void> {
    const { engine, callbacks, load } = this.parts;
    // Pending statuses and the load change the state without a request.
    this.hasChanged = engine.count() > 0 || load.progress().running;
    this.callbackChanges = callbacks.changes;
    try {
      // The next start would drop a whole state that does not match.
      const state = readRequest(Snapshot, takeKeptState(this.parts));
      const leftOut = callbacks.held() - state.callbacks.held.length;
      if (leftOut > 0) this.logger.warn({ callbacks: leftOut }, 'the state file has no room for some undelivered callbacks');
      await writeFile(`${this.file}.new`, JSON.stringify(state), { mode: 0o600, flush: true });
      await rename(`${this.file}.new`, this.file);
    } catch (error) {
      this.hasChanged = true;
      this.logger.error({ err: error }, 'writing the state file failed; will retry');
    }
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
