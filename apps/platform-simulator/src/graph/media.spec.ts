import { createHash } from 'node:crypto';
import { eventually } from '@mgw/testing';
import { codeOf, idOf, messageOf, NUMBER, PERSON, Started, TOKEN, type ApiResponse } from '../simulator.fixture';

const BYTES = Buffer.from('%PDF-1.4 something like a document');
const sha = (encoding: 'hex' | 'base64') => createHash('sha256').update(BYTES).digest(encoding);

describe('media (platform §1.3, §8.1)', () => {
  let started: Started;
  beforeEach(async () => {
    started = await Started.with();
  });
  afterEach(() => started.close());

  const upload = (type = 'application/pdf', bytes: Buffer = BYTES, fields: Record<string, string> = { messaging_product: 'whatsapp' }) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([bytes], { type }), 'a.pdf');
    return started.graph<{ id: string }>('POST', `${NUMBER}/media`, form);
  };
  const urlOf = async (id: string) => (await started.graph<{ url: string }>('GET', id)).body.url;
  const fetchFile = (url: string, headers: Record<string, string> = {}) =>
    fetch(url, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } });

  it('describes, serves and deletes an uploaded file', async () => {
    const { id } = (await upload()).body;
    const { body } = await started.graph('GET', id);
    expect(body).toEqual({
      id,
      messaging_product: 'whatsapp',
      mime_type: 'application/pdf',
      file_size: BYTES.length,
      sha256: sha('hex'),
      url: expect.stringContaining(`${started.url}/sim-media/`) as string,
    });
    const file = await fetchFile(String(body['url']));
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(BYTES);
    expect((await started.graph('DELETE', id)).body).toEqual({ success: true });
    expect(codeOf(await started.graph('GET', id))).toBe(100);
    expect((await fetchFile(String(body['url']))).status).toBe(404);
  });

  it.each([
    ['bytes=0-3', 206, '%PDF', `bytes 0-3/${BYTES.length}`],
    ['bytes=30-', 206, BYTES.subarray(30).toString(), `bytes 30-${BYTES.length - 1}/${BYTES.length}`],
    ['bytes=-4', 206, 'ment', `bytes ${BYTES.length - 4}-${BYTES.length - 1}/${BYTES.length}`],
    ['bytes=9999-', 416, '', `bytes */${BYTES.length}`],
    ['lines=1-2', 200, BYTES.toString(), null],
  ])('responds to Range %s with %i', async (range, status, text, contentRange) => {
    const file = await fetchFile(await urlOf((await upload()).body.id), { range });
    expect([file.status, await file.text(), file.headers.get('content-range')]).toEqual([status, text, contentRange]);
  });

  it('serves a file only with its token and a User-Agent, for five minutes by URL and 30 days by id', async () => {
    const { id } = (await upload()).body;
    const url = await urlOf(id);
    expect((await fetch(url)).status).toBe(401);
    const unnamed = await fetchFile(url, { 'user-agent': '' });
    expect([unnamed.status, unnamed.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect((await fetchFile(url, { authorization: 'Bearer EAAsimNorthlight' })).status).toBe(404);
    await started.control('POST', 'clock', { offset_seconds: 301 });
    expect((await fetchFile(url)).status).toBe(404);
    expect((await fetchFile(await urlOf(id))).status).toBe(200);
    await started.control('POST', 'clock', { offset_seconds: 30 * 86_400 + 1 });
    expect(codeOf(await started.graph('GET', id))).toBe(100);
  });

  it.each<[string, () => Promise<ApiResponse<{ id: string }>>, number, string]>([
    ['another type', () => upload('audio/wav'), 100, 'Param file must be a file with one of the following types'],
    ['too large', () => upload('image/jpeg', Buffer.alloc(5 * 1024 * 1024 + 1)), 131053, 'Media upload error'],
    ['empty', () => upload('image/jpeg', Buffer.alloc(0)), 131053, 'Media upload error'],
    ['without the product', () => upload('image/jpeg', BYTES, {}), 100, 'messaging_product is required'],
    ['no form at all', () => started.graph('POST', `${NUMBER}/media`, {}), 100, 'messaging_product is required'],
    [
      'a broken form',
      () => started.graph('POST', `${NUMBER}/media`, { no: 'form' }, { 'content-type': 'multipart/form-data; boundary=x' }),
      100,
      'Invalid parameter',
    ],
  ])('refuses a file that is %s', async (_, act, code, words) => {
    const response = (await act()) as unknown as ApiResponse;
    expect([response.status, codeOf(response)]).toEqual([400, code]);
    expect(messageOf(response)).toContain(words);
  });

  it('sends an uploaded file by its id, and fails with 131053 for another kind', async () => {
    await started.receive();
    const { id } = (await upload()).body;
    const good = idOf(await started.send({ type: 'document', document: { id, filename: 'a.pdf' } }));
    expect((await started.statusesOf(good, 2))[1]).toMatchObject({ status: 'delivered' });
    const bad = idOf(await started.send({ type: 'image', image: { id } }));
    expect((await started.statusesOf(bad, 2))[1]).toMatchObject({ status: 'failed', errors: [{ code: 131053 }] });
    const foreign = await started.graph(
      'POST',
      '700100200300402/messages',
      { messaging_product: 'whatsapp', to: PERSON, type: 'document', document: { id } },
      { authorization: 'Bearer EAAsimNorthlight' },
    );
    expect(messageOf(foreign)).toContain('media attachment ID');
  });

  it.each([
    ['image', 'image/png', '\x89PNG'],
    ['audio', 'audio/amr', '#!AMR'],
    ['video', 'video/mp4', 'ftyp'],
    ['document', 'application/pdf', '%PDF'],
    ['sticker', 'image/webp', 'WEBP'],
  ])('§4.4: serves a customer’s %s by its id as %s', async (type, mimeType, mark) => {
    await started.receive({ type, content: { caption: 'Look' } });
    const message = await eventually(() => started.messages()[0]);
    const content = message[type] as { id: string; mime_type: string; sha256: string; caption: string };
    expect(content).toMatchObject({ mime_type: mimeType, caption: 'Look' });
    const file = Buffer.from(await (await fetchFile(await urlOf(content.id))).arrayBuffer());
    expect(file.subarray(0, 16).toString('latin1')).toContain(mark);
    expect(content.sha256).toBe(createHash('sha256').update(file).digest('base64'));
  });

  it('§4.4: sends any file of a customer, and one that failed', async () => {
    await started.receive({ type: 'image', file: { mime_type: 'image/jpeg', base64: BYTES.toString('base64') } });
    await started.receive({ type: 'image', errors: [{ code: 131052, title: 'Media download error' }] });
    const [any, failed] = await eventually(() => started.messages().length === 2 && started.messages());
    expect(any?.['image']).toMatchObject({ mime_type: 'image/jpeg', sha256: sha('base64') });
    expect(failed).toMatchObject({ type: 'image', errors: [{ code: 131052 }] });
    expect(failed).not.toHaveProperty('image');
  });

  it('keeps the newest thousand files', async () => {
    const first = started.simulator.media.add(NUMBER, 'image/png', BYTES, 'uploaded');
    for (let i = 0; i < 1_000; i++) started.simulator.media.add(NUMBER, 'image/png', BYTES, 'uploaded');
    expect(started.simulator.media.get(first.id)).toBeUndefined();
    expect(started.simulator.media.state().files).toHaveLength(1_000);
  });
});
