import { GetConnection, ListTemplates } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { service } from './main';
import { approved, bodyOf, connect } from './template.fixture';

const HUNG = 10;
const MEGABYTE = 1024 * 1024;

/** guarantees §10: accounts share probes, syncs and the memory for template lists. */
describe('accounts whose platform calls hang or return large lists', () => {
  let harness: Harness;
  let graph: Receiver;
  beforeEach(async () => {
    harness = await startHarness(service);
    graph = await startReceiver();
    harness.onClose(() => graph.close());
    harness.env['META_GRAPH_BASE_URL'] = graph.url;
  });
  afterEach(() => harness.close());

  const syncOf = async (business_id: number) => (await harness.rpc.call(ListTemplates, { business_id, limit: 1, cursor: null })).sync;
  const isConnected = async (business_id: number) =>
    (await harness.rpc.call(GetConnection, { business_id })).connection?.status === 'connected';

  it('N2: probes and syncs another account while theirs hang', async () => {
    const open = new Set<object>();
    let closed = 0;
    graph.respond(({ headers }, response) => {
      if (!headers.authorization?.endsWith(' 99')) {
        open.add(response);
        response.on('close', () => (closed += 1));
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: '7099', status: 'CONNECTED', data: [] }));
    });
    await harness.run(service);
    for (let business = 1; business <= HUNG; business++) await connect(harness, business);
    await eventually(() => open.size === 2 * HUNG);
    await connect(harness, 99);
    await eventually(async () => (await isConnected(99)) && (await syncOf(99)).state === 'done');
    expect(closed).toBe(0);
    await graph.close();
  });

  it('N1: stops reading an endless list and reads other lists', async () => {
    graph.respond(({ path, headers }, response) => {
      if (!path.includes('message_templates')) return void response.end(JSON.stringify({ id: '7', status: 'CONNECTED' }));
      const page = Number(new URL(path, graph.url).searchParams.get('after') ?? 0);
      const endless = headers.authorization?.endsWith(' 1');
      const data = [approved(`t${page}`, [bodyOf(endless ? 'x'.repeat(2 * MEGABYTE) : 'Hello')])];
      const paging = endless ? { cursors: { after: String(page + 1) }, next: 'more' } : {};
      response.end(JSON.stringify({ data, paging }));
    });
    await harness.run(service);
    await connect(harness, 1);
    await eventually(async () => (await syncOf(1)).state === 'failed');
    expect((await syncOf(1)).problem).toContain('not enough memory for this list');
    expect(graph.requests.filter(({ path }) => path.includes('message_templates')).length).toBeLessThan(15);
    await connect(harness, 2);
    await eventually(async () => (await syncOf(2)).found === 1);
  });
});
