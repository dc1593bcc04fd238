import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountFor, tokenOf, type ById } from './access';
import { GraphFailure, missingObject } from '../graph-error';
import { ALL_MIME_TYPES, bareType, kindOf } from '../media/media-types';
import { sha256, type MediaFile } from '../media/media-store';
import { type SimulatorParts } from '../simulator-parts';

/** The largest document and the form around it. */
const UPLOAD_LIMIT = 101 * 1024 * 1024;

/** Uploads, describes, serves and deletes files (platform §8.1). */
export function mediaRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  for (const prefix of ['', '/:version(^v\\d+\\.\\d+$)'])
    app.post<ById>(`${prefix}/:id/media`, { bodyLimit: UPLOAD_LIMIT }, (request) => upload(parts, request));
  app.get<{ Params: { token: string } }>('/sim-media/:token', async (request, reply) => download(parts, request, reply));
}

async function upload(parts: SimulatorParts, request: FastifyRequest<ById>): Promise<{ id: string }> {
  const account = accountFor(parts, request, (id) => parts.accounts.byNumber(id));
  const form = await formOf(request);
  // Like any parameter of the Graph API, it may be in the query.
  if ((form.get('messaging_product') ?? request.query['messaging_product']) !== 'whatsapp')
    throw new GraphFailure(100, 'The parameter messaging_product is required.');
  const file = form.get('file');
  if (file === null || typeof file === 'string') throw new GraphFailure(100, 'The parameter file is required.');
  const type = bareType(file.type);
  const kind = kindOf(type);
  if (!kind)
    throw new GraphFailure(
      100,
      `Param file must be a file with one of the following types: ${ALL_MIME_TYPES.join(', ')}. Received file of type '${type}'.`,
    );
  if (file.size === 0) throw new GraphFailure(131053, 'Media upload error', { details: 'The file is empty' });
  if (file.size > kind.most)
    throw new GraphFailure(131053, 'Media upload error', { details: `Media file size too big. Max file size: ${kind.most} bytes` });
  const { id } = parts.media.add(account.phone_number_id, type, Buffer.from(await file.arrayBuffer()), 'uploaded');
  return { id };
}

async function formOf(request: FastifyRequest): Promise<FormData> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) throw new GraphFailure(100, 'The parameter messaging_product is required.');
  try {
    return await new Response(request.body as Buffer, { headers: { 'content-type': type } }).formData();
  } catch (error) {
    throw new GraphFailure(100, 'Invalid parameter', { details: `reading the form failed: ${(error as Error).message}` });
  }
}

/** The file, if the token may read its number and the request names no other number. */
function fileFor(parts: SimulatorParts, request: FastifyRequest<ById>): MediaFile {
  const { id } = request.params;
  const file = parts.media.get(id);
  accountFor(parts, request, () => (file ? parts.accounts.byNumber(file.phone_number_id) : undefined));
  const number = request.query['phone_number_id'];
  if (!file || (number !== undefined && number !== file.phone_number_id)) throw missingObject(id);
  return file;
}

/** `GET /{media_id}`: a URL for the next five minutes. */
export function getMedia(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  const { id, mime_type, bytes } = fileFor(parts, request);
  const url = `${request.protocol}://${request.host}/sim-media/${parts.media.createLink(id)}`;
  return { messaging_product: 'whatsapp', url, mime_type, sha256: sha256(bytes, 'hex'), file_size: bytes.length, id };
}

/** `DELETE /{media_id}`. */
export function deleteMedia(parts: SimulatorParts, request: FastifyRequest<ById>): unknown {
  parts.media.delete(fileFor(parts, request).id);
  return { success: true };
}

function download(parts: SimulatorParts, request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply): unknown {
  const token = tokenOf(parts, request);
  const file = parts.media.byLink(request.params.token);
  if (!file || parts.accounts.byNumber(file.phone_number_id)?.access_token !== token)
    throw new GraphFailure(100, 'Unknown or expired URL', { status: 404, subcode: 33 });
  // WhatsApp's hosts of files respond with a page.
  if (!request.headers['user-agent'])
    return reply.status(400).type('text/html; charset=utf-8').send('<h1>Sorry, something went wrong.</h1>');
  const { bytes } = file;
  void reply.type(file.mime_type).header('accept-ranges', 'bytes');
  const range = rangeOf(request.headers.range, bytes.length);
  if (range === undefined) return bytes;
  if (range === null) return reply.status(416).header('content-range', `bytes */${bytes.length}`).send();
  void reply.status(206).header('content-range', `bytes ${range.first}-${range.last}/${bytes.length}`);
  return bytes.subarray(range.first, range.last + 1);
}

/** One range of bytes; undefined for the whole file; null outside the file. Several ranges give the whole, as HTTP allows. */
function rangeOf(header: string | undefined, size: number): { first: number; last: number } | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last && first < size ? { first, last } : null;
}
