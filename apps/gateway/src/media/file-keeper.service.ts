import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ClaimFiles, EndFileTask, GatewayError, HasStoredFiles, type FileFacts, type FileTask } from '@mgw/contracts';
import { abortAfter } from '@mgw/deadlines';
import type { FileStore } from '@mgw/media';
import { RpcClient } from '@mgw/rpc';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import { Shares } from '@mgw/shares';
import { counter, type Logger } from '@mgw/telemetry';
import { queryOptional } from '../requests/optional-query';
import { CheckedBytes } from './checked-bytes';
import { FILE_STORE } from './file-store';
import { PlatformFiles } from './platform-files';

/** Files that one gateway copies at once, each with 256 kB in memory. One business gets half of the places. */
const COPIES = { places: 4, largest: 1 / 2 };
/** Longest copy, in milliseconds; a claim lasts longer. */
const COPY_WITHIN_MS = 10 * 60_000;
const POLL_MS = 2_000;
/** Pause after a failure of the store, such as a full disk, in milliseconds. */
const STORE_PAUSE_MS = 60_000;
/** Without a store: how often it looks for stored files, and the pause if the send service does not respond, in milliseconds. */
const CHECK = { everyMs: 3_600_000, retryMs: 60_000 };
const filesHandled = counter('mgw_stored_files_total', 'Files copied into MEDIA_STORE or deleted from it, by outcome', ['outcome']);

/**
 * Copies files from the platform into MEDIA_STORE, and deletes expired and erased ones (decision 400). The send service has the list of work,
 * from which only success removes a file.
 */
@Injectable()
export class FileKeeper extends BackgroundLoop implements BeforeApplicationShutdown {
  private readonly shares = new Shares(COPIES);
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private pausedUntil = 0;

  constructor(
    private readonly rpc: RpcClient,
    private readonly platform: PlatformFiles,
    @Inject(FILE_STORE) private readonly store: FileStore | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'claiming files', logger, retryMs: POLL_MS });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  protected async round(): Promise<number> {
    if (this.store === null) return this.lookForFiles();
    const pause = this.pausedUntil - Date.now();
    if (pause > 0) return pause;
    const limit = COPIES.places - this.running.size;
    if (limit === 0 || this.stopping.signal.aborted) return POLL_MS;
    const { files } = await this.rpc.call(ClaimFiles, { limit, without: this.shares.withoutRoom().map(Number) });
    for (const file of files) this.start(file, this.store);
    // A claim takes one file per business, so more may be due.
    return files.length === 0 ? POLL_MS : 0;
  }

  private async lookForFiles(): Promise<number> {
    const found = await queryOptional(this.rpc, HasStoredFiles, {});
    if (found?.has_files) this.logger.warn('MEDIA_STORE is not set, but it had files: nobody deletes them, and erasures wait for them');
    return found === null ? CHECK.retryMs : CHECK.everyMs;
  }

  private start(file: FileTask, store: FileStore): void {
    const { business_id, media_id, attempts } = file;
    const release = this.shares.tryTake(String(business_id));
    const signal = abortAfter(COPY_WITHIN_MS, this.stopping.signal);
    const work = (file.task === 'delete' ? this.delete(file, store, signal) : this.copy(file, store, signal))
      .catch((error: unknown) => this.failed(file, error))
      .then((outcome) => {
        filesHandled.inc({ outcome: typeof outcome === 'string' ? outcome : 'stored' });
        return this.rpc.call(EndFileTask, { business_id, media_id, attempts, outcome });
      })
      // The claim expires.
      .catch((error: unknown) =>
        this.logger.warn({ err: error, media_id }, 'recording the end of work on a stored file failed; will retry'),
      )
      .then(() => {
        release?.();
        this.running.delete(work);
        this.wake();
      });
    this.running.add(work);
  }

  private async delete(file: FileTask, store: FileStore, signal: AbortSignal): Promise<'deleted'> {
    await store.delete(keyOf(file), signal).catch((error: unknown) => this.storeFailed(error, signal));
    return 'deleted';
  }

  private async copy(file: FileTask, store: FileStore, signal: AbortSignal): Promise<FileFacts> {
    const { info, open } = await this.platform.find(file.business_id, file, randomUUID());
    const { mime_type, file_size, sha256 } = info;
    const bytes = new CheckedBytes(await open({ first: 0, last: file_size - 1 }), sha256);
    await store.put(keyOf(file), bytes.stream, file_size, signal).catch((error: unknown) => {
      if (bytes.error) throw bytes.error;
      this.storeFailed(error, signal);
    });
    return { mime_type, file_size, sha256 };
  }

  /** Pauses after a failure of the store, which would fail for the next file too. @throws the failure */
  private storeFailed(error: unknown, { aborted }: AbortSignal): never {
    if (!aborted) this.pausedUntil = Date.now() + STORE_PAUSE_MS;
    throw error;
  }

  private failed({ business_id, media_id, task }: FileTask, error: unknown): 'gone' | 'failed' {
    if (error instanceof GatewayError && error.error_code === 'MEDIA_EXPIRED') return 'gone';
    const { name, message } = error as Error;
    this.logger.warn(
      { business_id, media_id, task, reason: `${name}: ${message}` },
      'copying or deleting a stored file failed; will retry',
    );
    return 'failed';
  }
}

const keyOf = ({ business_id, media_id }: FileTask) => `${business_id}/${media_id}`;
