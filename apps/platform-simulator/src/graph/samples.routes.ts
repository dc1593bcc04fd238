import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphTemplateComponent } from '@mgw/platform-api';
import type { Account } from '../accounts/accounts';
import { GraphFailure, missingObject } from '../graph-error';
import { bareType, kindOf, MEDIA_KINDS } from '../media/media-types';
import { digits } from '../random';
import { type SimulatorParts } from '../simulator-parts';
import { tokenOf, type ById } from './access';
import { APP } from './nodes';

/** The types of the Resumable Upload API that a template's header may have. */
const SAMPLE_TYPES = ['image/jpeg', 'image/png', 'video/mp4', 'application/pdf'];
const UPLOAD_LIMIT = MEDIA_KINDS.document.most + 1;

/** Takes the samples of headers (platform §3.4). */
export function sampleRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  void app.register((files, _options, done) => {
    // Whatever type its request states, the body is the file.
    files.removeAllContentTypeParsers();
    files.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    for (const prefix of ['', '/:version(^v\\d+\\.\\d+$)']) {
      files.post<ById>(`${prefix}/:id/uploads`, async (request) => beginUpload(parts, request));
      files.post<ById>(`${prefix}/:id(^upload:.+$)`, { bodyLimit: UPLOAD_LIMIT }, async (request) => finishUpload(parts, request));
    }
    done();
  });
}

/** `POST /{app_id}/uploads`. The session's id holds what is known of the file, as the platform's does. */
function beginUpload(parts: SimulatorParts, request: FastifyRequest<ById>): { id: string } {
  tokenOf(parts, request);
  if (request.params.id !== APP.id) throw missingObject(request.params.id);
  const { file_length, file_type = '' } = request.query;
  const type = bareType(file_type);
  if (!SAMPLE_TYPES.includes(type)) throw new GraphFailure(100, `The parameter file_type must be one of ${SAMPLE_TYPES.join(', ')}.`);
  const length = Number(file_length);
  if (!Number.isInteger(length) || length < 1) throw new GraphFailure(100, 'The parameter file_length is required.');
  const most = kindOf(type)?.most ?? 0;
  if (length > most)
    throw new GraphFailure(131053, 'Media upload error', { details: `Media file size too big. Max file size: ${most} bytes` });
  const session = Buffer.from(`${type} ${length} ${digits(8, parts.random)}`).toString('base64url');
  return { id: `upload:${session}?sig=${digits(16, parts.random)}` };
}

/** `POST /upload:{session}`: the whole file in one request. */
function finishUpload(parts: SimulatorParts, request: FastifyRequest<ById>): { h: string } {
  const token = tokenOf(parts, request);
  const [type = '', length] = Buffer.from(request.params.id.replace(/^upload:/, ''), 'base64url')
    .toString()
    .split(' ');
  const account = parts.accounts.all().find(({ access_token }) => access_token === token);
  if (!account || !SAMPLE_TYPES.includes(type)) throw missingObject(request.params.id);
  if (request.headers['file_offset'] !== '0') throw new GraphFailure(100, 'The header file_offset must be 0.');
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (bytes.length !== Number(length)) throw new GraphFailure(100, `The file has ${bytes.length} bytes instead of ${length}.`);
  const { id } = parts.media.add(account.phone_number_id, type, bytes, 'uploaded');
  return { h: `4::${Buffer.from(type).toString('base64')}:${id}` };
}

/**
 * The components with the address of each sample, which the platform shows in place of its handle.
 * @throws GraphFailure 100 for a header whose handle this account has not uploaded for this format
 */
export function withSamples(
  parts: SimulatorParts,
  { account, site }: { account: Account; site: string },
  components: GraphTemplateComponent[],
): GraphTemplateComponent[] {
  return components.map((component) => {
    const format = component.format?.toLowerCase() ?? '';
    if (component.type !== 'HEADER' || !['image', 'video', 'document'].includes(format)) return component;
    const handles: unknown = component.example?.['header_handle'];
    const handle = Array.isArray(handles) ? String(handles[0]) : '';
    const file = parts.media.get(/^4::[\w=+/]+:(\d+)$/.exec(handle)?.[1] ?? '');
    const isOfFormat = file && MEDIA_KINDS[format as 'image'].mimeTypes.includes(file.mime_type);
    if (!isOfFormat || file.phone_number_id !== account.phone_number_id)
      throw new GraphFailure(100, 'Invalid parameter', {
        details: `HEADER of the format ${component.format} needs the handle of a sample`,
      });
    return { ...component, example: { header_handle: [`${site}/sim-media/${parts.media.createLink(file.id)}`] } };
  });
}
