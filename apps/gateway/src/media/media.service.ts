import { Inject, Injectable, StreamableFile, type OnApplicationShutdown } from '@nestjs/common';
import { FindMedia, GatewayError, matches, MediaId, notFound, type MediaRecord } from '@mgw/contracts';
import type { FileRange, FileStore } from '@mgw/media';
import { RpcClient } from '@mgw/rpc';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { byteRange } from './byte-range';
import { fileHeaders } from './file-headers';
import { FILE_STORE } from './file-store';
import type { MediaInfo } from './media.responses';
import { hasExpired, PlatformFiles, type FoundFile } from './platform-files';
import { Transfers } from './transfers';

/**
 * Streams files to callers, from the store or the platform (decision 340). The send service knows which business a file belongs to; a foreign
 * id reaches neither.
 */
@Injectable()
export class MediaService implements OnApplicationShutdown {
  constructor(
    private readonly rpc: RpcClient,
    private readonly platform: PlatformFiles,
    private readonly transfers: Transfers,
    @Inject(FILE_STORE) private readonly store: FileStore | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async info(businessId: number, mediaId: string, requestId: string): Promise<MediaInfo> {
    const release = await this.transfers.takePlace(businessId);
    try {
      return (await this.find(businessId, mediaId, requestId)).info;
    } finally {
      release();
    }
  }

  /**
   * Typed as the JSON that `info` returns, because the description of an endpoint has one schema.
   * @throws GatewayError before the first byte; an error within the file cuts the connection
   */
  async download(businessId: number, mediaId: string, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const release = await this.transfers.takePlace(businessId);
    try {
      // A caller may disconnect while it waits for its place.
      if (reply.raw.destroyed) throw new GatewayError('VALIDATION_FAILED', 'The caller disconnected.');
      const { info, filename, open } = await this.find(businessId, mediaId, request.id);
      const { file_size: size } = info;
      const headers = fileHeaders({ ...info, filename });
      if (isNamedBy(request.headers['if-none-match'], headers.etag)) {
        release();
        void reply.status(304).header('etag', headers.etag);
        return undefined as never;
      }
      const part = requestedPart(request.headers, headers.etag, size);
      if (part === 'outside') {
        void reply.header('content-range', `bytes */${size}`);
        throw new GatewayError('VALIDATION_FAILED', `The file has ${size} bytes, and the range begins after them.`, {}, 416);
      }
      const range = part ?? { first: 0, last: size - 1 };
      const stream = await open(range);
      this.transfers.follow(stream, release);
      void reply.headers({ ...headers, 'content-length': range.last - range.first + 1 });
      if (part) void reply.status(206).header('content-range', `bytes ${range.first}-${range.last}/${size}`);
      return new StreamableFile(stream) as never;
    } catch (error) {
      release();
      throw error;
    }
  }

  onApplicationShutdown(): void {
    this.store?.close();
  }

  /** @throws GatewayError unless the business has the file, and the store or the platform does */
  private async find(businessId: number, mediaId: string, requestId: string): Promise<FoundFile & { filename: string | null }> {
    if (!matches(MediaId, mediaId)) throw notFound();
    const media = await this.rpc.call(FindMedia, { business_id: businessId, media_id: mediaId }, { requestId });
    const found = this.inStore(businessId, media, requestId) ?? (await this.platform.find(businessId, media, requestId));
    return { ...found, filename: media.filename };
  }

  /** @returns null unless the store has the file */
  private inStore(businessId: number, media: MediaRecord, requestId: string): FoundFile | null {
    const { media_id, stored } = media;
    const { store } = this;
    if (store === null || !stored) return null;
    const { kept_until: expires_at, ...facts } = stored;
    const open = (range: FileRange) =>
      store.open(`${businessId}/${media_id}`, range).catch(async ({ name, message }: Error) => {
        this.logger.warn({ reason: `${name}: ${message}`, media_id }, 'the file store did not deliver a file');
        if (hasExpired(media)) throw new GatewayError('OVERLOADED', 'The file store did not deliver the file. Try again later.');
        return (await this.platform.find(businessId, media, requestId)).open(range);
      });
    return { info: { success: true, media_id, ...facts, expires_at }, open };
  }
}

/** Whether `If-None-Match` names the file, so that the caller has it. */
function isNamedBy(tags: string | undefined, etag: string): boolean {
  return tags?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false;
}

/** A range with `If-Range` holds for the file that the caller has begun to read. */
function requestedPart({ range, 'if-range': expected }: FastifyRequest['headers'], etag: string, size: number) {
  return expected === undefined || expected === etag ? byteRange(range, size) : null;
}
