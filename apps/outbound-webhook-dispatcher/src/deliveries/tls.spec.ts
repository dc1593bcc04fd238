import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned, startRawReceiver, testAuthority, type RawReceiver } from '@mgw/testing';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';

const HOST = '127.0.0.1';
const trusted = testAuthority();
const KINDS = [
  ['the certificate of an authority that is trusted', trusted.issue({ host: HOST }), true],
  ['a certificate that signs itself', selfSigned({ host: HOST }), false],
  ['the certificate of an unknown authority', testAuthority().issue({ host: HOST }), false],
  ['the certificate of another host', trusted.issue({ host: 'hooks.example.com' }), false],
  ['the certificate of another address', trusted.issue({ host: '127.0.0.2' }), false],
  ['a certificate of yesterday', trusted.issue({ host: HOST, expires: new Date(Date.now() - 60_000) }), false],
] as const;

/** Runs in a child process that trusts the test's authority. NODE_TLS_REJECT_UNAUTHORIZED=0 must not make it trust others. */
describe('guarantees §5: receivers with TLS', () => {
  let dispatching: Dispatching;
  let dir: string;
  const receivers: RawReceiver[] = [];
  const ids: number[] = [];

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-tls-'));
    const file = join(dir, 'authority.pem');
    writeFileSync(file, trusted.cert);
    dispatching = await startDispatching({ NODE_EXTRA_CA_CERTS: file, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    await dispatching.harness.spawn('outbound-webhook-dispatcher');
    for (const [, tls] of KINDS) {
      const receiver = await startRawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), { tls });
      receivers.push(receiver);
      ids.push(await dispatching.create({ url: `https://${HOST}:${receiver.port}/hook` }));
    }
    await dispatching.harness.publish(sent(1));
    await dispatching.ended(KINDS.length);
  });
  afterAll(async () => {
    await dispatching.harness.close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(KINDS.map(([kind, , succeeds], i) => [kind, succeeds, i] as const))('%s: is sent the event: %s', async (_, succeeds, i) => {
    const [delivery] = await dispatching.log(ids[i] as number);
    expect(delivery).toMatchObject(
      succeeds
        ? { state: 'succeeded', response_code: 200, reason: null }
        : { state: 'failed', response_code: null, reason: 'could not be reached' },
    );
    expect(await dispatching.webhook(ids[i] as number)).toMatchObject({ fail_count: succeeds ? 0 : 1 });
    // A receiver without a valid certificate never sees the event.
    expect(receivers[i]).toMatchObject({ connections: 1, requests: succeeds ? [expect.stringContaining('POST /hook')] : [] });
  });
});
