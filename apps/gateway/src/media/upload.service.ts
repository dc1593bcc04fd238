import { Injectable } from '@nestjs/common';
import { GatewayError, RecordUpload } from '@mgw/contracts';
import { GraphClient, refusedByPlatform } from '@mgw/platform-api';
import { RpcClient } from '@mgw/rpc';
import type { FastifyRequest } from 'fastify';
import { ConnectionService } from '../connection/connection.service';
import { tooLarge, UnreadFile } from '../http/unread-file';
import { isMimeType } from './file-headers';
import { BEGINNING, FILE_TYPES, fileKindOf } from './file-kinds';
import type { UploadedMedia } from './media.responses';
import { Transfers } from './transfers';

/** Longest upload, in milliseconds. */
const UPLOAD_WITHIN_MS = 10 * 60_000;

/** Passes files on to the platform while they arrive; nothing keeps them here (decision 343). */
@Injectable()
export class UploadService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly connections: ConnectionService,
    private readonly graph: GraphClient,
    private readonly transfers: Transfers,
  ) {}

  async upload(business_id: number, filename: string | undefined, request: FastifyRequest): Promise<UploadedMedia> {
    const mimeType = request.headers['content-type'] ?? '';
    const kind = isMimeType(mimeType) ? fileKindOf(mimeType) : null;
    if (!kind) throw wrongType(`Send the file's own Content-Type, one of ${FILE_TYPES.join(', ')}.`);
    const declared = request.headers['content-length'];
    if (Number(declared ?? 0) > kind.most) throw tooLarge(kind.most);
    const file = request.body;
    if (!(file instanceof UnreadFile)) throw empty();
    const release = await this.transfers.takePlace(business_id);
    try {
      const target = await this.connections.target(business_id, request.id);
      const { beginning, bytes } = await withBeginning(file.bytes(kind.most), BEGINNING);
      if (beginning.length === 0) throw empty();
      if (!kind.isLikely(beginning)) throw wrongType(`The file is not of the type ${mimeType}.`);
      let file_size = 0;
      async function* counted(): AsyncGenerator<Buffer> {
        for await (const chunk of bytes) {
          file_size += chunk.length;
          yield chunk;
        }
      }
      const size = declared === undefined ? null : Number(declared);
      const upload = { mimeType, filename: filename ?? 'file', size, bytes: counted() };
      const outcome = await this.graph.uploadMedia(target, upload, Date.now() + UPLOAD_WITHIN_MS);
      // The platform's refusal of half a file is no news to a caller that sent half a file.
      if (file.fault) throw file.fault;
      if (outcome.kind === 'unavailable')
        throw new GatewayError('PLATFORM_UNAVAILABLE', `WhatsApp did not take the file: ${outcome.problem}.`, { hint: 'Try again later.' });
      if (outcome.kind === 'refused') throw refusedByPlatform(outcome.refusal);
      const media = { media_id: outcome.value.id, mime_type: mimeType, file_size };
      const { expires_at } = await this.rpc.call(
        RecordUpload,
        { business_id, ...media, filename: filename ?? null },
        { requestId: request.id },
      );
      return { success: true, ...media, expires_at };
    } finally {
      release();
    }
  }
}

/** Reads until enough bytes have arrived. @returns them, and all bytes of the file */
async function withBeginning(file: AsyncGenerator<Buffer>, enough: number) {
  const read: Buffer[] = [];
  let size = 0;
  while (size < enough) {
    const { value, done } = await file.next();
    if (done) break;
    read.push(value);
    size += value.length;
  }
  async function* bytes(): AsyncGenerator<Buffer> {
    yield* read;
    yield* file;
  }
  return { beginning: Buffer.concat(read), bytes: bytes() };
}

function empty(): GatewayError {
  const message = 'must be a file of at least one byte';
  return new GatewayError('VALIDATION_FAILED', `The body ${message}.`, { details: [{ field: 'body', message }] });
}

function wrongType(message: string): GatewayError {
  return new GatewayError('UNSUPPORTED_MEDIA_TYPE', message);
}
