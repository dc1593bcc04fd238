import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  ConnectionChanged,
  FindMedia,
  HasStoredFiles,
  notFound,
  RecordUpload,
  type MediaRecord,
  type Operation,
  type RequestOf,
} from '@mgw/contracts';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { fileHeaders } from './file-headers';
import { FileKeeper } from './file-keeper.service';

const BYTES = Buffer.from('%PDF-1.4 a short document');
const SIZE = BYTES.length;
const SHA = createHash('sha256').update(BYTES).digest();
const IN_A_DAY = new Date(Date.now() + 86_400_000).toISOString();

type Respond = (response: ServerResponse, headers: IncomingMessage['headers']) => void;

describe('files that customers sent (decisions 340 and 341)', () => {
  let dashboard: Dashboard;
  let platform: Receiver;
  let session: Session;
  let key: { token: string; business_id: number };
  let site: string;
  /** The description of every file; the address of its bytes by default. */
  let description: Record<string, unknown>;
  let serve: Respond;
  let nth = 0;

  beforeAll(async () => {
    platform = await startReceiver();
    dashboard = await startDashboard({ graphBaseUrl: platform.url });
    await dashboard.db.query('UPDATE access.limits SET global_per_minute = 1000');
    key = await dashboard.apiKey({ permissions: ['read_messages'] });
    session = await dashboard.session('agent', key.business_id);
    await new Promise<void>((listening) => dashboard.visitor.server.listen(0, '127.0.0.1', listening));
    site = `http://127.0.0.1:${(dashboard.visitor.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((closed) => {
      dashboard.visitor.server.close(closed);
      dashboard.visitor.server.closeAllConnections();
    });
    await dashboard.close();
    await platform.close();
  });

  const wholeFile: Respond = (response, { range }) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (first === undefined) return void response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': SIZE }).end(BYTES);
    const part = BYTES.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, { 'content-range': `bytes ${first}-${last}/${SIZE}`, 'content-length': part.length }).end(part);
  };
  beforeEach(() => {
    platform.requests.length = 0;
    serve = wholeFile;
    description = { url: `${platform.url}/file?token=1`, mime_type: 'application/pdf', sha256: SHA.toString('hex'), file_size: SIZE };
    dashboard.neighbours.respond(FindMedia, ({ business_id, media_id }): MediaRecord => {
      if (business_id !== key.business_id) throw notFound();
      return { media_id, filename: 'PO "2291" €.pdf', expires_at: media_id.startsWith('old') ? '2026-01-01T00:00:00.000Z' : IN_A_DAY };
    });
    dashboard.connect();
    platform.respond(({ path, headers }, response) => {
      if (path.startsWith('/file')) return serve(response, headers);
      const status = 'error' in description ? 400 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(description));
    });
  });

  const newId = () => `27548${(nth += 1)}`;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${site}/api/v1/media/${path}`, { headers: { 'x-api-key': key.token, ...headers } });
  const codeOf = async (response: Response) => [response.status, ((await response.json()) as { error_code?: string }).error_code];
  const filesRequested = () => platform.requests.filter(({ path }) => path.startsWith('/file'));

  it('streams a file to a key and to a session, and describes it', async () => {
    const id = newId();
    const bySession = await fetch(`${site}/api/client/media/${id}`, { headers: { cookie: `token=${session.token}` } });
    for (const response of [await get(id), bySession]) {
      expect([response.status, Buffer.from(await response.arrayBuffer())]).toEqual([200, BYTES]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': String(SIZE),
        'content-disposition': `attachment; filename="PO _2291_ _.pdf"; filename*=UTF-8''PO%20%222291%22%20%E2%82%AC.pdf`,
        etag: `"${SHA.toString('hex')}"`,
        'accept-ranges': 'bytes',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
    }
    const described = `/v26.0/${id}?phone_number_id=700`;
    const expected = [described, '/file?token=1', described, '/file?token=1'];
    expect(platform.requests.map(({ path, headers }) => [path, headers.authorization, headers['user-agent']])).toEqual(
      // Hosts of files at WhatsApp refuse requests without a User-Agent.
      expected.map((path) => [path, 'Bearer EAAtoken', 'messaging-gateway/1.0']),
    );
    description['sha256'] = SHA.toString('base64');
    expect(await (await get(`${id}?info=1`)).json()).toEqual({
      ...{ success: true, media_id: id, mime_type: 'application/pdf', file_size: SIZE },
      ...{ sha256: SHA.toString('hex'), expires_at: IN_A_DAY },
    });
    expect(filesRequested()).toHaveLength(2);
  });

  it.each([
    ['bytes=0-3', 206, '%PDF', `bytes 0-3/${SIZE}`],
    ['bytes=9-', 206, BYTES.subarray(9).toString(), `bytes 9-${SIZE - 1}/${SIZE}`],
    ['bytes=-8', 206, 'document', `bytes ${SIZE - 8}-${SIZE - 1}/${SIZE}`],
    ['bytes=0-999', 206, BYTES.toString(), `bytes 0-${SIZE - 1}/${SIZE}`],
    ['bytes=999-', 416, null, `bytes */${SIZE}`],
    ['bytes=3-1', 200, BYTES.toString(), null],
    ['bytes=0-1,3-4', 200, BYTES.toString(), null],
    ['lines=1-2', 200, BYTES.toString(), null],
  ])('responds to Range %s with %i, whether the host of the file knows ranges or not', async (range, status, bytes, contentRange) => {
    for (const one of [wholeFile, ((response) => response.end(BYTES)) as Respond]) {
      serve = one;
      const response = await get(newId(), { range });
      expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange]);
      if (bytes !== null) expect(await response.text()).toBe(bytes);
    }
  });

  it('holds a range with If-Range for the same file only', async () => {
    const parts = async (etag: string) => (await get(newId(), { range: 'bytes=0-3', 'if-range': etag })).status;
    expect([await parts(`"${SHA.toString('hex')}"`), await parts('"other"')]).toEqual([206, 200]);
  });

  it('decision 770: sends no bytes to a caller whose If-None-Match names the file', async () => {
    const etag = `"${SHA.toString('hex')}"`;
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await get(newId(), { 'if-none-match': tags, range: 'bytes=0-3' });
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([304, etag, '']);
    }
    expect(filesRequested()).toEqual([]);
    const other = await get(newId(), { 'if-none-match': '"other"' });
    expect([other.status, Buffer.from(await other.arrayBuffer())]).toEqual([200, BYTES]);
  });

  it('responds 404 for foreign, unknown and impossible ids and for expired files, without a call to WhatsApp', async () => {
    const other = await dashboard.apiKey();
    const asOther = await get('1', { 'x-api-key': other.token });
    expect(await codeOf(asOther)).toEqual([404, 'NOT_FOUND']);
    for (const id of ['..%2F700%2Fmessages', 'a.b', `1${'0'.repeat(128)}`]) expect(await codeOf(await get(id))).toEqual([404, 'NOT_FOUND']);
    expect(await codeOf(await get('old1'))).toEqual([404, 'MEDIA_EXPIRED']);
    expect(platform.requests).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['does not find', { code: 100, error_subcode: 33, message: 'Unsupported get request.' }, 'NOT_CONNECTED'],
    ['does not find at this number', { code: 33, message: 'Object does not exist.' }, 'NOT_CONNECTED'],
    ['refuses', { code: 100, message: 'Invalid parameter' }, 'PLATFORM_REFUSED'],
  ])('reports a file that WhatsApp %s before its time is over as no expired one, and remembers it', async (_, error, code) => {
    const id = newId();
    description = { error };
    for (let i = 0; i < 3; i++) expect(await codeOf(await get(id))).toEqual([400, code]);
    expect(platform.requests).toHaveLength(1);
  });

  describe('a refused file', () => {
    const refuse = (response: ServerResponse) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { code: 100, error_subcode: 33 } }));
    /** Holds the response to the first request of a file. @returns refuses it */
    const holdFirst = (isRepaired: () => boolean) => {
      let refuseHeld: (() => void) | null = null;
      platform.respond(({ path, headers }, response) => {
        if (path.startsWith('/file')) return serve(response, headers);
        if (refuseHeld === null) return void (refuseHeld = () => refuse(response));
        if (!isRepaired()) return void refuse(response);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(description));
      });
      return () => eventually(() => refuseHeld);
    };

    it('is requested again once the connection is saved again, even if the refusal arrives later', async () => {
      let isRepaired = false;
      const held = holdFirst(() => isRepaired);
      const [late, refused] = [newId(), newId()];
      const waiting = get(late);
      const refuseLate = await held();
      expect(await codeOf(await get(refused))).toEqual([400, 'NOT_CONNECTED']);

      isRepaired = true;
      expect(await codeOf(await get(refused))).toEqual([400, 'NOT_CONNECTED']);
      dashboard.connect();
      expect((await get(refused)).status).toBe(200);
      refuseLate();
      expect(await codeOf(await waiting)).toEqual([400, 'NOT_CONNECTED']);
      expect((await get(late)).status).toBe(200);
    });

    it('is not requested again because sends and probes find problems that come and go, nor because another connection changes', async () => {
      const held = holdFirst(() => false);
      const id = newId();
      const waiting = get(id);
      const refuseFirst = await held();
      const other = await dashboard.business();
      const changed = async (business_id: number) => {
        dashboard.rpc.announce(ConnectionChanged, { business_id });
        await dashboard.flushed();
      };
      await changed(other);
      refuseFirst();
      expect(await codeOf(await waiting)).toEqual([400, 'NOT_CONNECTED']);
      for (let i = 0; i < 2; i++) {
        await changed(key.business_id);
        expect(await codeOf(await get(id))).toEqual([400, 'NOT_CONNECTED']);
      }
      expect(platform.requests).toHaveLength(1);
    });
  });

  it.each<[string, { describe?: () => object; serve?: Respond }]>([
    ['a redirect', { serve: (response) => response.writeHead(302, { location: `${site}/docs` }).end() }],
    ['an address on another host', { describe: () => ({ url: 'http://127.0.0.1:1/file' }) }],
    ['a private address that claims to be a media host', { describe: () => ({ url: 'https://10.0.0.1/lookaside.fbsbx.com' }) }],
    ['a host that only ends like a media host', { describe: () => ({ url: 'https://evil-whatsapp.net/file' }) }],
    ['a user name in the address', { describe: () => ({ url: platform.url.replace('//', '//user:word@') }) }],
    ['no address', { describe: () => ({ url: 'file:///etc/passwd' }) }],
    ['another length', { serve: (response) => response.writeHead(200, { 'content-length': 3 }).end('abc') }],
    ['a page', { serve: (response) => response.writeHead(200, { 'content-type': 'text/html', 'content-length': SIZE }).end(BYTES) }],
    ['an encoded file', { serve: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BYTES) }],
    ['an error', { serve: (response) => response.writeHead(500).end() }],
  ])('ends %s in an error, and remembers it', async (_, { describe: change = () => ({}), serve: hostile = wholeFile }) => {
    serve = hostile;
    Object.assign(description, change());
    const id = newId();
    for (let i = 0; i < 2; i++) expect(await codeOf(await get(id))).toEqual([500, 'PLATFORM_UNAVAILABLE']);
    expect(platform.requests.filter(({ path }) => path.includes(id))).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no hash', { sha256: 'x' }],
    ['no size', { file_size: null }],
  ])('refuses a description with %s', async (_, change) => {
    Object.assign(description, change);
    expect(await codeOf(await get(newId()))).toEqual([500, 'PLATFORM_UNAVAILABLE']);
  });

  it.each<[string, Respond]>([
    ['ends early', (response) => response.write(BYTES.subarray(0, 5), () => response.destroy())],
    ['is shorter', (response) => response.end(BYTES.subarray(0, 5))],
  ])('cuts the connection when a file %s than WhatsApp stated', async (_, hostile) => {
    serve = hostile;
    const response = await get(newId());
    expect([500, 'cut']).toContain(
      await response.text().then(
        () => response.status,
        () => 'cut',
      ),
    );
  });

  it('ends an endless file in an error, and stops reading it', async () => {
    let stopped = false;
    serve = (response) => {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), () => setImmediate(more)));
      response.once('close', () => (stopped = true));
      more();
    };
    expect(await codeOf(await get(newId()))).toEqual([500, 'PLATFORM_UNAVAILABLE']);
    await eventually(() => stopped);
  });

  it('stops reading a file when its caller disconnects, and serves others while one business reads many', async () => {
    let reading = 0;
    serve = (response) => {
      reading += 1;
      response.once('close', () => (reading -= 1));
      response.writeHead(200, { 'content-length': SIZE }).write('%');
    };
    const stop = new AbortController();
    const id = newId();
    const many = Array.from({ length: 40 }, () =>
      fetch(`${site}/api/v1/media/${id}`, { headers: { 'x-api-key': key.token }, signal: stop.signal }).catch(() => null),
    );
    await eventually(() => reading === 16);
    const neighbour = await dashboard.apiKey({ plan: 'Starter' });
    const others = { media_id: id, filename: null, expires_at: IN_A_DAY };
    dashboard.neighbours.respond(FindMedia, () => others);
    serve = wholeFile;
    expect(await (await get(id, { 'x-api-key': neighbour.token })).text()).toBe(BYTES.toString());
    stop.abort();
    await Promise.all(many);
    await eventually(() => reading === 0);
  });

  describe('uploads (decision 343)', () => {
    const PDF = 'application/pdf';
    let uploader: { token: string; business_id: number };
    let recorded: RequestOf<typeof RecordUpload>[];
    /** The files that the platform received. */
    let forms: { path: string; type: string; name: string; bytes: Buffer }[];
    beforeAll(async () => (uploader = await dashboard.apiKey({ permissions: ['send_media'] })));
    beforeEach(() => {
      [recorded, forms] = [[], []];
      dashboard.neighbours.respond(RecordUpload, (request) => {
        recorded.push(request);
        return { expires_at: IN_A_DAY };
      });
      platform.respond(({ path, headers, body }, response) => {
        if (!path.endsWith('/media')) return void response.writeHead(404).end();
        void new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData().then(async (form) => {
          const file = form.get('file') as File;
          expect(form.get('messaging_product')).toBe('whatsapp');
          forms.push({ path, type: file.type, name: file.name, bytes: Buffer.from(await file.arrayBuffer()) });
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"4490709327384033"}');
        });
      });
    });
    const upload = (
      body: NonNullable<RequestInit['body']>,
      type: string,
      { path = '/api/v1/media', ...init }: RequestInit & { path?: string } = {},
    ) => fetch(site + path, { method: 'POST', body, headers: { 'x-api-key': uploader.token, 'content-type': type }, ...init });

    it('passes a file of a key or a session on, with or without a Content-Length', async () => {
      const chunked = new Blob([BYTES]).stream();
      const twin = {
        path: '/api/client/media?filename=PO.pdf',
        headers: { cookie: `token=${session.token}`, 'content-type': PDF, origin: site },
      };
      const sent = { success: true, media_id: '4490709327384033', mime_type: PDF, file_size: SIZE, expires_at: IN_A_DAY };
      for (const response of [
        await upload(BYTES, PDF, { path: '/api/v1/media?filename=PO%20%222291%22.pdf&x=1' }),
        await upload(chunked, PDF, { duplex: 'half' } as RequestInit),
        await upload(BYTES, PDF, twin),
      ])
        expect([response.status, await response.json()]).toEqual([200, sent]);
      const file = { path: '/v26.0/700/media', type: PDF, bytes: BYTES };
      expect(forms).toEqual([
        { ...file, name: 'PO _2291_.pdf' },
        { ...file, name: 'file' },
        { ...file, name: 'PO.pdf' },
      ]);
      const { media_id, mime_type, file_size } = sent;
      const record = { business_id: uploader.business_id, media_id, mime_type, file_size };
      expect(recorded).toEqual([
        { ...record, filename: 'PO "2291".pdf' },
        { ...record, filename: null },
        { ...record, business_id: key.business_id, filename: 'PO.pdf' },
      ]);
    });

    it.each<[string, () => Promise<Response>, number, string]>([
      ['empty', () => upload('', PDF), 400, 'VALIDATION_FAILED'],
      ['without a type', () => upload(BYTES, ''), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['of a type that WhatsApp does not take', () => upload('{}', 'application/json'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['of another type than it states', () => upload('<html>', PDF), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['of another type than it states, and short', () => upload('x', 'image/jpeg'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['too long by its Content-Length', () => upload(Buffer.alloc(5 * 1024 * 1024 + 1), 'image/png'), 413, 'PAYLOAD_TOO_LARGE'],
      [
        'too long without a Content-Length',
        () => upload(new Blob(['RIFF1234WEBP', Buffer.alloc(512_000)]).stream(), 'image/webp', { duplex: 'half' } as RequestInit),
        413,
        'PAYLOAD_TOO_LARGE',
      ],
      [
        'named by 241 characters',
        () => upload(BYTES, PDF, { path: `/api/v1/media?filename=${'x'.repeat(241)}` }),
        400,
        'VALIDATION_FAILED',
      ],
    ])('refuses a file that is %s', async (_, act, status, code) => {
      expect(await codeOf(await act())).toEqual([status, code]);
      expect([forms, recorded]).toEqual([[], []]);
    });

    it('decision 580: passes the sample of a template’s header on to the upload that WhatsApp opens for the token’s app', async () => {
      const owner = await dashboard.session('owner', key.business_id);
      const path = '/api/client/media/samples?filename=PO%20%E2%82%AC.pdf';
      const headers = { cookie: `token=${owner.token}`, 'content-type': PDF, origin: site };
      let opened: object = { id: 'upload:MTph?sig=AR_z' };
      platform.respond(({ path: called }, response) => {
        const body = called.includes('debug_token')
          ? { data: { is_valid: true, app_id: '5' } }
          : called.includes('uploads')
            ? opened
            : { h: '4::aGk=' };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      const sample = await upload(BYTES, PDF, { path, headers });
      expect([sample.status, await sample.json()]).toEqual([200, { success: true, handle: '4::aGk=', mime_type: PDF, file_size: SIZE }]);
      expect(
        platform.requests.map(({ path: called, body, headers: given }) => [called, body, given.authorization, given['file_offset']]),
      ).toEqual([
        ['/v26.0/debug_token?input_token=EAAtoken', '', 'Bearer EAAtoken', undefined],
        [`/v26.0/5/uploads?file_name=PO+%E2%82%AC.pdf&file_length=${SIZE}&file_type=application%2Fpdf`, '', 'Bearer EAAtoken', undefined],
        ['/v26.0/upload:MTph?sig=AR_z', BYTES.toString(), 'OAuth EAAtoken', '0'],
      ]);
      expect(recorded).toEqual([]);
      opened = { id: '../700/messages' };
      expect(await codeOf(await upload(BYTES, PDF, { path, headers }))).toEqual([500, 'PLATFORM_UNAVAILABLE']);
      const chunked = { path, headers, duplex: 'half' } as RequestInit;
      expect(await codeOf(await upload(new Blob([BYTES]).stream(), PDF, chunked))).toEqual([400, 'VALIDATION_FAILED']);
      const webp = { ...headers, 'content-type': 'image/webp' };
      expect(await codeOf(await upload('RIFF1234WEBP', '', { path, headers: webp }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
      const agent = { ...headers, cookie: `token=${session.token}` };
      expect(await codeOf(await upload(BYTES, PDF, { path, headers: agent }))).toEqual([403, 'PERMISSION_DENIED']);
    });

    it('closes the connection of a refused file whose rest never comes (rule A)', async () => {
      const socket = connect(Number(new URL(site).port), '127.0.0.1');
      const head = [
        'POST /api/v1/media HTTP/1.1',
        'host: x',
        `x-api-key: ${uploader.token}`,
        `content-type: ${PDF}`,
        'content-length: 90000',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${'<html>'.padEnd(8_000)}`);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 415 /);
    });

    it('refuses an upload of another site with a session', async () => {
      const headers = { cookie: `token=${session.token}`, 'content-type': 'text/plain', origin: 'https://elsewhere.example' };
      expect(await codeOf(await upload('x', '', { path: '/api/client/media', headers }))).toEqual([403, 'PERMISSION_DENIED']);
    });

    it('keeps nothing of a file that ends half way, and passes a refusal of WhatsApp on', async () => {
      const socket = connect(Number(new URL(site).port), '127.0.0.1');
      const head = ['POST /api/v1/media HTTP/1.1', 'host: x', `x-api-key: ${uploader.token}`, `content-type: ${PDF}`, 'content-length: 99'];
      socket.write(`${head.join('\r\n')}\r\n\r\n%PDF-1.4 half a document`);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 408 [^]*The file paused/);
      expect([platform.requests, recorded]).toEqual([[], []]);
      platform.respond((_, response) => {
        const error = { code: 131053, message: 'Media upload error', error_data: { details: 'no' } };
        response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      });
      const refused = await upload(BYTES, PDF);
      expect([refused.status, await refused.json()]).toMatchObject([400, { error_code: 'PLATFORM_REFUSED', platform_code: 131053 }]);
      expect(recorded).toEqual([]);
    });
  });

  it('decision 400: a gateway without MEDIA_STORE warns of files in a store', async () => {
    const warnings: unknown[] = [];
    const rpc = { call: ({ subject }: Operation) => Promise.resolve({ has_files: subject === HasStoredFiles.subject }) };
    const keeper = new FileKeeper(rpc as never, {} as never, null, { warn: (line: unknown) => warnings.push(line) } as never);
    keeper.onApplicationBootstrap();
    await eventually(() => warnings.length > 0);
    await keeper.onApplicationShutdown();
    expect(warnings).toEqual([expect.stringMatching(/^MEDIA_STORE is not set, but it had files/)]);
  });

  it('needs the permission read_messages', async () => {
    const { token } = await dashboard.apiKey({ permissions: ['send_media'] });
    expect(await codeOf(await get('1', { 'x-api-key': token }))).toEqual([403, 'PERMISSION_DENIED']);
  });

  it.each([
    ['image/jpeg', 'inline', 'image/jpeg'],
    ['audio/ogg; codecs=opus', 'inline', 'audio/ogg; codecs=opus'],
    ['image/svg+xml', 'attachment', 'image/svg+xml'],
    ['text/html', 'attachment', 'text/html'],
    ['x\r\nset-cookie: a=b', 'attachment', 'application/octet-stream'],
  ])('shows %s as %s', (mime_type, disposition, type) => {
    const headers = fileHeaders({ media_id: '7', mime_type, sha256: 'aa', filename: null });
    expect([headers['content-disposition'], headers['content-type']]).toEqual([`${disposition}; filename="7"`, type]);
  });
});
