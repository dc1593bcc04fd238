import { connect, type AddressInfo, type Socket } from 'node:net';
import { eventually } from '@mgw/testing';
import { PASSWORD, startDashboard, type Dashboard } from '../../test/dashboard.fixture';

describe('bodies without credentials (guarantees N1, N2, decision 737)', () => {
  let dashboard: Dashboard;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    dashboard = await startDashboard({ trustedProxies: ['127.0.0.1'] });
    await new Promise<void>((listening) => dashboard.visitor.server.listen(0, '127.0.0.1', listening));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => dashboard.visitor.server.close(closed));
    await dashboard.close();
  });

  /** @returns the response so far */
  function post(ip: string, length: number, body: string): () => string {
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const head = ['POST /api/client/login HTTP/1.1', 'host: x', `x-forwarded-for: ${ip}`, 'content-type: application/json'];
    const socket = connect(port, '127.0.0.1', () => socket.write([...head, `content-length: ${length}`, '', body].join('\r\n')));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString())).on('error', () => undefined);
    sockets.push(socket);
    return () => received;
  }
  async function login(ip: string, credentials: object): Promise<string> {
    const body = JSON.stringify(credentials).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const received = post(ip, body.length, body);
    await eventually(() => received().includes('}'));
    return received();
  }

  it('networks that withhold the rest of their bodies delay no login, also not from their own network', async () => {
    const { email } = await dashboard.user('owner', await dashboard.business());
    let begun = 0;
    dashboard.visitor.server.on('request', () => (begun += 1));
    for (let network = 0; network < 16; network++) {
      // Whether the length is refused or awaited, nobody else may notice.
      post(`2001:db8:0:${network.toString(16)}::1`, 65_536, '{');
      post(`2001:db8:0:${network.toString(16)}::1`, 4_096, '{');
    }
    await eventually(() => begun === 32);
    for (const ip of ['198.51.100.7', '2001:db8:0:1::99'])
      expect(await login(ip, { email, password: PASSWORD })).toMatch(/^HTTP\/1.1 200 /);
  });

  it('accepts the longest credentials with every character of the password escaped', async () => {
    const email = `${'x'.repeat(238)}@business.example`.slice(-254);
    const longest = { email, password: '😀'.repeat(256), user_id: Number.MAX_SAFE_INTEGER, code: '0'.repeat(64) };
    expect(await login('198.51.100.8', longest)).toMatch(/^HTTP\/1.1 401 [^]*NOT_AUTHENTICATED/);
  });
});
