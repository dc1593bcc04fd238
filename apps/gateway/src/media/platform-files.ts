import type { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { atMost } from '@mgw/caching';
import { GatewayError, sha256Hex, type MediaRecord, type WireError } from '@mgw/contracts';
import { MediaDownloads, type FileRange } from '@mgw/media';
import { GraphClient, refusedByPlatform, type Refusal } from '@mgw/platform-api';
import { LRUCache } from 'lru-cache';
import { ConnectionService } from '../connection/connection.service';
import type { MediaInfo } from './media.responses';

/** Time for the platform's description of a file, in milliseconds. */
const DESCRIBE_WITHIN_MS = 10_000;
/** The platform blocks a number after twenty failures in an hour. */
const FAILURES = { ...atMost(10_000), ttl: 10 * 60_000 };
/** The platform's codes for an object that does not exist or that the connection may not read. It does not distinguish them. */
const NOT_READABLE = new Set([33, 100]);

/** The description of a file, and its bytes. */
export interface FoundFile {
  info: MediaInfo;
  /** @throws GatewayError; an error after the first bytes ends the stream with an error */
  open: (range: FileRange) => Promise<Readable>;
}

/** Files that the platform has. It is not called again with the same connection for those that it has refused (decision 342). */
@Injectable()
export class PlatformFiles implements OnApplicationShutdown {
  /** Errors of files, by business, id and connection: a connection that is saved again may read a file that the one before could not. */
  private readonly failures = new LRUCache<string, WireError>(FAILURES);

  constructor(
    private readonly connections: ConnectionService,
    private readonly graph: GraphClient,
    private readonly downloads: MediaDownloads,
  ) {}

  /** @throws GatewayError unless the platform delivers the file; MEDIA_EXPIRED only when the file's time is over */
  async find(businessId: number, media: Pick<MediaRecord, 'media_id' | 'expires_at'>, requestId: string): Promise<FoundFile> {
    const { media_id, expires_at } = media;
    if (hasExpired(media)) throw expired();
    const target = await this.connections.target(businessId, requestId);
    const key = `${businessId}:${media_id}:${target.version}`;
    const failure = this.failures.get(key);
    if (failure) throw GatewayError.fromWire(failure);
    const outcome = await this.graph.getMedia(target, media_id, Date.now() + DESCRIBE_WITHIN_MS);
    if (outcome.kind === 'unavailable') throw unavailable(outcome.problem);
    if (outcome.kind === 'refused') throw this.refused(key, outcome.refusal);
    const { url, mime_type, file_size } = outcome.value;
    const sha256 = sha256Hex(outcome.value.sha256);
    if (sha256 === undefined) throw unavailable('the description of the file has no valid hash');
    const size = Number(file_size);
    const source = { url, accessToken: target.accessToken, mimeType: mime_type, size };
    return {
      info: { success: true, media_id, mime_type, file_size: size, sha256, expires_at },
      open: (range) => this.open(key, source, range),
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.graph.close(), this.downloads.close()]);
  }

  private async open(key: string, source: Parameters<MediaDownloads['open']>[0], range: FileRange): Promise<Readable> {
    const result = await this.downloads.open(source, range);
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
    const error = refusedByPlatform(refusal);
    const concernsFile = errorCode === 'PLATFORM_REFUSED' || (platformCode !== null && NOT_READABLE.has(platformCode));
    return concernsFile ? this.remembered(key, error) : error;
  }

  private remembered(key: string, error: GatewayError): GatewayError {
    this.failures.set(key, error.toWire());
    return error;
  }
}

/** Resolves once the stream has bytes or has ended. */
function begun(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => stream.once('readable', resolve).once('error', reject));
}

export const hasExpired = ({ expires_at }: Pick<MediaRecord, 'expires_at'>): boolean => Date.parse(expires_at) <= Date.now();

function expired(): GatewayError {
  return new GatewayError('MEDIA_EXPIRED', 'WhatsApp has deleted this file.', {
    hint: 'WhatsApp keeps a customer’s file for 7 days and an uploaded one for 30. Download files when their message arrives.',
  });
}

function unavailable(problem: string): GatewayError {
  return new GatewayError('PLATFORM_UNAVAILABLE', `WhatsApp did not deliver the file: ${problem}.`, { hint: 'Try again later.' });
}
