import type { Readable } from 'node:stream';
import { Injectable, StreamableFile, type OnApplicationShutdown } from '@nestjs/common';
import { FindMedia, GatewayError, matches, MediaId, sha256Hex, type MediaRecord, type WireError } from '@mgw/contracts';
import { MediaDownloads } from '@mgw/media';
import { GraphClient, refusedByPlatform, type PhoneNumberTarget, type Refusal } from '@mgw/platform-api';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ConnectionService } from '../connection/connection.service';
import { notFound } from '../requests/refusals';
import { byteRange } from './byte-range';
import { fileHeaders } from './file-headers';
import type { MediaInfo } from './media.responses';
import { Transfers } from './transfers';

/** Time for the platform's description of a file, in milliseconds. */
const DESCRIBE_WITHIN_MS = 10_000;
/** The platform blocks a number after twenty failures in an hour. */
const FAILURES = { max: 10_000, ttl: 10 * 60_000 };
/** The platform's code for an object that does not exist. */
const MISSING = new Set([33, 100]);

/** The file as the platform describes it, and its address with the token for it. */
interface Located {
  info: MediaInfo;
  filename: string | null;
  url: string;
  accessToken: string;
}

/**
 * Streams files between callers and the platform (decision 340). The send service knows which business a file belongs to; a foreign id never
 * reaches the platform.
 */
@Injectable()
export class MediaService implements OnApplicationShutdown {
  /** Errors of files, by business and id. */
  private readonly failures = new LRUCache<string, WireError>(FAILURES);

  constructor(
    private readonly rpc: RpcClient,
    private readonly connections: ConnectionService,
    private readonly graph: GraphClient,
    private readonly downloads: MediaDownloads,
    private readonly transfers: Transfers,
  ) {}

  async info(businessId: number, mediaId: string, requestId: string): Promise<MediaInfo> {
    const release = await this.transfers.takePlace(businessId);
    try {
      return (await this.locate(businessId, mediaId, requestId)).info;
    } finally {
      release();
    }
  }

  /**
   * Typed as the JSON that `info` returns, because the description of an endpoint has one schema.
   * @throws GatewayError before the first byte; a fault within the file cuts the connection
   */
  async download(businessId: number, mediaId: string, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const release = await this.transfers.takePlace(businessId);
    try {
      // A caller may disconnect while it waits for its place.
      if (reply.raw.destroyed) throw new GatewayError('VALIDATION_FAILED', 'The caller disconnected.');
      const file = await this.locate(businessId, mediaId, request.id);
      const { file_size: size } = file.info;
      const headers = fileHeaders({ ...file.info, filename: file.filename });
      const part = requestedPart(request.headers, headers['etag'], size);
      if (part === 'outside') {
        void reply.header('content-range', `bytes */${size}`);
        throw new GatewayError('VALIDATION_FAILED', `The file has ${size} bytes, and the range begins after them.`, {}, 416);
      }
      const range = part ?? { first: 0, last: size - 1 };
      const stream = await this.open(`${businessId}:${mediaId}`, file, range);
      this.transfers.follow(stream, release);
      void reply.headers({ ...headers, 'content-length': range.last - range.first + 1 });
      if (part) void reply.status(206).header('content-range', `bytes ${range.first}-${range.last}/${size}`);
      return new StreamableFile(stream) as never;
    } catch (error) {
      release();
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.graph.close(), this.downloads.close()]);
  }

  /** @throws GatewayError unless the business has the file and the platform still does */
  private async locate(businessId: number, mediaId: string, requestId: string): Promise<Located> {
    if (!matches(MediaId, mediaId)) throw notFound();
    const media = await this.rpc.call(FindMedia, { business_id: businessId, media_id: mediaId }, { requestId });
    if (Date.parse(media.expires_at) <= Date.now()) throw expired();
    const failure = this.failures.get(`${businessId}:${mediaId}`);
    if (failure) throw GatewayError.fromWire(failure);
    return this.describe(businessId, media, await this.connections.target(businessId, requestId));
  }

  private async describe(businessId: number, { media_id, filename, expires_at }: MediaRecord, target: PhoneNumberTarget): Promise<Located> {
    const outcome = await this.graph.getMedia(target, media_id, Date.now() + DESCRIBE_WITHIN_MS);
    if (outcome.kind === 'unavailable') throw unavailable(outcome.problem);
    if (outcome.kind === 'refused') throw this.refused(`${businessId}:${media_id}`, outcome.refusal);
    const { url, mime_type, file_size } = outcome.value;
    const sha256 = sha256Hex(outcome.value.sha256);
    if (sha256 === undefined) throw unavailable('the description of the file has no valid hash');
    const info = { success: true as const, media_id, mime_type, file_size: Number(file_size), sha256, expires_at };
    return { info, filename, url, accessToken: target.accessToken };
  }

  private async open(key: string, { info, url, accessToken }: Located, range: { first: number; last: number }) {
    const result = await this.downloads.open({ url, accessToken, mimeType: info.mime_type, size: info.file_size }, range);
    if (result.kind === 'file') {
      // The first bytes may already show that the file is not what the headers state.
      await begun(result.bytes).catch(() => {
        throw this.remembered(key, unavailable('its length is not what WhatsApp stated'));
      });
      return result.bytes;
    }
    throw result.isTransient ? unavailable(result.problem) : this.remembered(key, unavailable(result.problem));
  }

  private refused(key: string, refusal: Refusal): GatewayError {
    const { platformCode, errorCode } = refusal;
    if (platformCode !== null && MISSING.has(platformCode)) return this.remembered(key, expired());
    const error = refusedByPlatform(refusal);
    return errorCode === 'PLATFORM_REFUSED' ? this.remembered(key, error) : error;
  }

  private remembered(key: string, error: GatewayError): GatewayError {
    this.failures.set(key, error.toWire());
    return error;
  }
}

/** A range with `If-Range` holds for the file that the caller has begun to read. */
function requestedPart({ range, 'if-range': expected }: FastifyRequest['headers'], etag: string | undefined, size: number) {
  return expected === undefined || expected === etag ? byteRange(range, size) : null;
}

/** Resolves once the stream has bytes or has ended. */
function begun(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => stream.once('readable', resolve).once('error', reject));
}

function expired(): GatewayError {
  return new GatewayError('MEDIA_EXPIRED', 'WhatsApp has deleted this file.', {
    hint: 'WhatsApp keeps a customer’s file for 7 days and an uploaded one for 30. Download files when their message arrives.',
  });
}

function unavailable(problem: string): GatewayError {
  return new GatewayError('PLATFORM_UNAVAILABLE', `WhatsApp did not deliver the file: ${problem}.`, { hint: 'Try again later.' });
}
