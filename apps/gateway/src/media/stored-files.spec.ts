import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClaimFiles, EndFileTask, FindMedia, type FileTask, type MediaRecord, type RequestOf } from '@mgw/contracts';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { FileKeeper } from './file-keeper.service';

const BYTES = randomBytes(300_000);
const SHA = createHash('sha256').update(BYTES).digest('hex');
const FACTS = { mime_type: 'image/jpeg', file_size: BYTES.length, sha256: SHA };
const IN_A_DAY = new Date(Date.now() + 86_400_000).toISOString();
const A_DAY_AGO = new Date(Date.now() - 86_400_000).toISOString();

interface S3Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
const S3rver = jest.requireActual<new (options: object) => S3Server>('s3rver');

interface Store {
  address: string;
  fail(): Promise<unknown>;
}
const STORES: Record<string, (folder: string) => Promise<Store>> = {
  'a folder': async (folder) => {
    const address = join(folder, 'files');
    await mkdir(address);
    const fail = () => rm(address, { recursive: true, force: true }).then(() => writeFile(address, ''));
    return { address, fail };
  },
  'a bucket': async (directory) => {
    const options = { address: '127.0.0.1', port: 0, directory, silent: true, configureBuckets: [{ name: 'files' }] };
    const server = new S3rver(options);
    const { port } = await server.run();
    return { address: `http://S3RVER:S3RVER@127.0.0.1:${port}/files/kept`, fail: () => server.close() };
  },
};

describe.each(Object.keys(STORES))('additions §2, decision 400: MEDIA_STORE as %s', (kind) => {
  let folder: string;
  let store: Store;
  let platform: Receiver;
  let dashboard: Dashboard;
  let session: Session;
  let business_id: number;
  /** Work of the send service, and how it ended. */
  let tasks: FileTask[];
  let ended: RequestOf<typeof EndFileTask>[];
  /** The description of every file at the platform. */
  let description: object;
  let record: Omit<MediaRecord, 'media_id'>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mgw-store-'));
    store = await (STORES[kind] as (typeof STORES)[string])(folder);
    platform = await startReceiver();
    platform.respond(({ path }, response) => {
      if (path === '/file') return void response.end(BYTES);
      const status = 'error' in description ? 400 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(description));
    });
    [tasks, ended] = [[], []];
    dashboard = await startDashboard({ graphBaseUrl: platform.url, mediaStore: store.address });
    dashboard.neighbours.respond(ClaimFiles, () => ({ files: tasks.splice(0) }));
    dashboard.neighbours.respond(EndFileTask, (request) => {
      ended.push(request);
      return {};
    });
    dashboard.neighbours.respond(FindMedia, ({ media_id }) => ({ media_id, ...record }));
    dashboard.connect();
    business_id = await dashboard.business();
    session = await dashboard.session('agent', business_id);
  });
  afterAll(async () => {
    await dashboard.close();
    await platform.close();
    await store.fail().catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    ended.length = platform.requests.length = 0;
    description = { url: `${platform.url}/file`, ...FACTS };
    record = { filename: null, expires_at: '2026-01-01T00:00:00.000Z', stored: { ...FACTS, kept_until: IN_A_DAY } };
  });

  const handled = async (media_id: string, task: FileTask['task'], expires_at = IN_A_DAY) => {
    tasks.push({ business_id, media_id, attempts: 7, task, expires_at });
    dashboard.get(FileKeeper).wake();
    await eventually(() => ended.length > 0);
    const [end] = ended.splice(0);
    expect(end).toMatchObject({ business_id, media_id, attempts: 7 });
    return end?.outcome;
  };
  const get = (path: string) => session.get(`/api/client/media/${path}`).responseType('arraybuffer');

  it('copies a file, serves it after WhatsApp has deleted it, and deletes it', async () => {
    expect(await handled('1', 'store')).toEqual(FACTS);
    platform.requests.length = 0;
    const whole = await get('1').expect(200);
    expect(BYTES.equals(whole.body as Buffer)).toBe(true);
    expect(whole.headers).toMatchObject({ etag: `"${SHA}"`, 'content-type': 'image/jpeg', 'content-length': String(BYTES.length) });
    const part = await get('1').set('range', 'bytes=100000-100009').expect(206);
    expect(BYTES.subarray(100_000, 100_010).equals(part.body as Buffer)).toBe(true);
    expect((await session.get('/api/client/media/1?info=1')).body).toEqual({
      success: true,
      media_id: '1',
      ...FACTS,
      expires_at: IN_A_DAY,
    });
    expect(platform.requests).toEqual([]);
    for (let i = 0; i < 2; i++) expect(await handled('1', 'delete')).toBe('deleted');
    const { status, body } = await session.get('/api/client/media/1');
    expect([status, body]).toMatchObject([500, { error_code: 'INTERNAL', retryable: true }]);
  });

  it('keeps nothing of a file with another hash, or whose time is over', async () => {
    Object.assign(description, { sha256: SHA.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) });
    expect(await handled('2', 'store')).toBe('failed');
    expect(await handled('3', 'store', A_DAY_AGO)).toBe('gone');
    // S3 keeps nothing of a request that ends early, but this bucket does.
    expect((await readdir(folder, { recursive: true })).filter((path) => /^files\/\d+\/[23]/.test(path))).toEqual([]);
  });

  // 100 with subcode 33 is also the code of a lost permission and of another number.
  it('decision 400: keeps a file on the list while WhatsApp may still have it, even when a reader got the refusal', async () => {
    const facts = description;
    description = { error: { code: 100, error_subcode: 33, message: 'Unsupported get request.' } };
    record = { filename: null, expires_at: IN_A_DAY };
    for (const id of ['5', '6']) {
      if (id === '6') expect((await session.get(`/api/client/media/${id}`)).body).toMatchObject({ error_code: 'NOT_CONNECTED' });
      expect(await handled(id, 'store')).toBe('failed');
    }
    description = facts;
    expect(await handled('7', 'store')).toEqual(FACTS);
  });

  it('leaves the work where it is when the store fails, and serves from WhatsApp meanwhile', async () => {
    await store.fail();
    expect(await handled('4', 'store')).toBe('failed');
    record.expires_at = IN_A_DAY;
    expect(BYTES.equals((await get('4').expect(200)).body as Buffer)).toBe(true);
  });
});
