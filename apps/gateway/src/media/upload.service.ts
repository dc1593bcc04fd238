import { Injectable } from '@nestjs/common';
import { GatewayError, RecordUpload } from '@mgw/contracts';
import { GraphClient, refusedByPlatform, type MediaUpload, type ReadOutcome } from '@mgw/platform-api';
import { RpcClient } from '@mgw/rpc';
import type { FastifyRequest } from 'fastify';
import { ConnectionService } from '../connection/connection.service';
import { fileTooLarge, UnreadFile } from '../http/unread-file';
import { isMimeType } from './file-headers';
import { BEGINNING, FILE_TYPES, fileKindOf, SAMPLE_TYPES } from './file-kinds';
import type { UploadedMedia, UploadedSample } from './media.responses';
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
    const { handle, mime_type, file_size } = await this.pass(business_id, request, FILE_TYPES, async (file, deadlineAt) => {
      const target = await this.connections.target(business_id, request.id);
      const outcome = await this.graph.uploadMedia(target, { ...file, filename: filename ?? 'file' }, deadlineAt);
      return outcome.kind === 'ok' ? { ...outcome, value: outcome.value.id } : outcome;
    });
    const media = { media_id: handle, mime_type, file_size };
    const { expires_at } = await this.rpc.call(
      RecordUpload,
      { business_id, ...media, filename: filename ?? null },
      { requestId: request.id },
    );
    return { success: true, ...media, expires_at };
  }

  /** Uploads the sample of a template's header, which WhatsApp keeps in another place than the files of messages. */
  async uploadSample(business_id: number, filename: string | undefined, request: FastifyRequest): Promise<UploadedSample> {
    const sample = await this.pass(business_id, request, SAMPLE_TYPES, async (file, deadlineAt) => {
      const { size } = file;
      if (size === null) throw invalidFile('must come with its Content-Length');
      const { accessToken } = await this.connections.target(business_id, request.id);
      const outcome = await this.graph.uploadSample(accessToken, { ...file, size, filename: filename ?? 'file' }, deadlineAt);
      return outcome.kind === 'ok' ? { ...outcome, value: outcome.value.h } : outcome;
    });
    return { success: true, ...sample };
  }

  /** @param send passes the bytes on as they arrive; it reads them once */
  private async pass(
    business_id: number,
    request: FastifyRequest,
    types: readonly string[],
    send: (file: Omit<MediaUpload, 'filename'>, deadlineAt: number) => Promise<ReadOutcome<string>>,
  ) {
    const mime_type = request.headers['content-type'] ?? '';
    const kind = isMimeType(mime_type) ? fileKindOf(mime_type, types) : null;
    if (!kind) throw wrongType(`Send the file's own Content-Type, one of ${types.join(', ')}.`);
    const declared = request.headers['content-length'];
    if (Number(declared ?? 0) > kind.most) throw fileTooLarge(kind.most);
    const file = request.body;
    if (!(file instanceof UnreadFile)) throw empty();
    const release = await this.transfers.takePlace(business_id);
    try {
      const { beginning, bytes } = await withBeginning(file.bytes(kind.most), BEGINNING);
      if (beginning.length === 0) throw empty();
      if (!kind.isLikely(beginning)) throw wrongType(`The file is not of the type ${mime_type}.`);
      let file_size = 0;
      async function* counted(): AsyncGenerator<Buffer> {
        for await (const chunk of bytes) {
          file_size += chunk.length;
          yield chunk;
        }
      }
      const size = declared === undefined ? null : Number(declared);
      const outcome = await send({ mimeType: mime_type, size, bytes: counted() }, Date.now() + UPLOAD_WITHIN_MS);
      // A caller that sent half a file gets the error of its own request, not the platform's refusal of half a file.
      if (file.error) throw file.error;
      if (outcome.kind === 'unavailable')
        throw new GatewayError('PLATFORM_UNAVAILABLE', `WhatsApp did not take the file: ${outcome.problem}.`, { hint: 'Try again later.' });
      if (outcome.kind === 'refused') throw refusedByPlatform(outcome.refusal);
      return { handle: outcome.value, mime_type, file_size };
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

const empty = () => invalidFile('must be a file of at least one byte');

function invalidFile(message: string): GatewayError {
  return new GatewayError('VALIDATION_FAILED', `The body ${message}.`, { details: [{ field: 'body', message }] });
}

function wrongType(message: string): GatewayError {
  return new GatewayError('UNSUPPORTED_MEDIA_TYPE', message);
}
