import { withPort, SSRF_CASES, startRawReceiver, type RawReceiver } from '@mgw/testing';
import { dashboardUser } from './people';
import { startStack, type RunningStack } from './stack';

interface Webhook {
  id: number;
  url: string;
}
const ALLOWED = 'https://hooks.example.com/';

describe('forbidden webhook addresses at the dashboard API (spec §4.9, guarantees §5, decision 32)', () => {
  let stack: RunningStack;
  let canary: RawReceiver;
  let owner: Awaited<ReturnType<typeof dashboardUser>>;
  let id: number;

  beforeAll(async () => {
    canary = await startRawReceiver(undefined, { host: '0.0.0.0' });
    // Use the canary's port, so that only the address is a reason to refuse.
    stack = await startStack({ standalone: true, env: { WEBHOOK_ALLOWED_TARGETS: '', WEBHOOK_PORTS: `443,8443,${canary.port}` } });
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    const made = await owner.call<{ id: number }>('POST', '/api/client/webhooks', { name: 'w', url: ALLOWED, events: ['message.sent'] });
    expect(made.status).toBe(200);
    id = made.body.id;
  }, 150_000);
  afterAll(async () => {
    await canary?.close();
    await stack?.stop();
  });

  const webhooks = async () => (await owner.call<{ webhooks: Webhook[] }>('GET', '/api/client/webhooks')).body.webhooks;

  it.each(SSRF_CASES)('$name: POST and PUT return 400 and store nothing', async ({ url }) => {
    for (const one of new Set([url, withPort(url, canary.port) ?? url])) {
      const refused = expect.objectContaining({ success: false, error_code: 'VALIDATION_FAILED' }) as object;
      const made = await owner.call('POST', '/api/client/webhooks', { name: 'w', url: one, events: ['message.sent'] });
      expect([one, made.status, made.body]).toEqual([one, 400, refused]);
      const changed = await owner.call('PUT', `/api/client/webhooks/${id}`, { url: one });
      expect([one, changed.status, changed.body]).toEqual([one, 400, refused]);
    }
    expect(await webhooks()).toEqual([expect.objectContaining({ id, url: ALLOWED })]);
    expect(canary.connections).toBe(0);
  });
});
