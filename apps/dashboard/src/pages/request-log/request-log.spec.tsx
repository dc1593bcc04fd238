/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { fireEvent, screen, within } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press, Refusal, requests } from '../../page.fixture';
import { requestSample } from './request-sample';

const LOGGED = {
  at: '2026-01-04T20:00:01.000Z',
  request_id: 'req-7',
  method: 'GET',
  route: '/api/v1/conversations/:phone',
  status: 400,
  error_code: 'VALIDATION_FAILED',
  fields: ['phone'],
  duration_ms: 1_012,
  api_key: { id: 3, name: 'CRM' },
  ip: '203.0.113.9',
  count: 1,
};
const LIMITED = {
  ...LOGGED,
  request_id: 'req-8',
  route: '/api/v1/send-text',
  status: 429,
  error_code: 'RATE_LIMITED',
  fields: [],
  count: 57,
};
const KEYS = { api_keys: [{ id: 3, name: 'CRM', sends_as: 3 }] };

const open = (path: string, list: (url: URL) => unknown = () => ({ requests: [LIMITED, LOGGED], kept: 200 })) =>
  openPage(path, { 'GET /api/client/requests': (_, url) => list(url), 'GET /api/client/api-keys': () => KEYS });
const rows = async () =>
  within(await screen.findByRole('table', { name: 'Failed requests, the newest first' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .slice(1)
        .map(({ textContent }) => textContent),
    );

describe('the page of the request log (decision 661)', () => {
  it('has each failed request with its reason, and how often it came', async () => {
    open('/requests');
    expect(await rows()).toEqual([
      ['GET /api/v1/send-text', '429×57', 'RATE_LIMITED', 'CRM', '203.0.113.9', '1,012 ms'],
      ['GET /api/v1/conversations/:phone', '400', 'VALIDATION_FAILED: phone', 'CRM', '203.0.113.9', '1,012 ms'],
    ]);
  });

  it('filters by class of status and by key, in the address', async () => {
    const queried: string[] = [];
    const address = open('/requests', (url) => {
      queried.push(url.search);
      return { requests: [], kept: 200 };
    });
    await screen.findByText('No failed requests');
    fireEvent.click(screen.getByRole('combobox', { name: 'Status' }));
    await press('5xx: failed on our side', 'option');
    await screen.findByText('No results');
    fireEvent.click(screen.getByRole('combobox', { name: 'API key' }));
    await press('CRM', 'option');
    await screen.findByText('No results');
    expect(queried.at(-1)).toBe('?limit=200&status=5xx&api_key_id=3');
    expect(address()).toBe('/requests?status=5xx&api_key_id="3"');
  });

  it('opens a request at its own address: its error’s page, its ids and a call of its route', async () => {
    const address = open('/requests');
    fireEvent.click(await screen.findByText('GET /api/v1/conversations/:phone'));
    const drawer = await screen.findByRole('dialog', { name: 'Failed request' });
    expect(address()).toBe('/requests?id=req-7&at=2026-01-04T20:00:01.000Z');
    within(drawer).getByText(/Jan 5, 2026, 1:30:01 AM, Asia\/Kolkata/);
    within(drawer).getByText('CRM (no. 3)');
    expect(within(drawer).getByRole('link').getAttribute('href')).toBe('/docs/errors/VALIDATION_FAILED');
    expect(drawer.querySelector('pre')?.textContent).toBe(
      "curl -s 'http://localhost/api/v1/conversations/12015550100' \\\n  -H 'X-API-Key: YOUR_KEY'",
    );
    within(drawer).getByRole('button', { name: 'Copy as curl' });
    expect(within(drawer).queryByText(/This entry counts/)).toBeNull();
  });

  it('opens the request of a response by its id, and explains a missing one', async () => {
    open('/requests?id=req-8');
    await within(await screen.findByRole('dialog')).findByText(/This entry counts 57 requests in a row/);
    open('/requests?id=req-9');
    await within(await screen.findByRole('dialog')).findByText(/The log has no failed request req-9/);
  });

  it('explains an empty log with a request that makes an entry', async () => {
    open('/requests', () => ({ requests: [], kept: 200 }));
    await screen.findByText('No failed requests');
    screen.getByText(/curl http:\/\/localhost\/api\/v1\/send-text/);
  });

  it('shows that the log does not respond, and reads it again on demand', async () => {
    let isDown = true;
    open('/requests', () =>
      isDown
        ? new Refusal(503, { success: false, error: 'The request log does not respond. Try again shortly.', error_code: 'INTERNAL' })
        : { requests: [LOGGED], kept: 200 },
    );
    await screen.findByText('The request log does not respond. Try again shortly.');
    isDown = false;
    await press('Refresh');
    expect(await rows()).toHaveLength(1);
    expect(requests.some(({ route }) => route === 'GET /api/client/requests')).toBe(true);
  });

  it('has a sample of each kind of route', () => {
    expect(requestSample('GET', '/api/v1/message-status/*', 'https://a.example')).toContain("'https://a.example/api/v1/message-status/");
    expect(requestSample('POST', '/api/v1/broadcasts/:id/pause', 'https://a.example')).toMatch(/^curl -s -X POST 'https:\/\/a\.example/);
    expect(requestSample('POST', '/api/v1/nothing', 'https://a.example')).toBeUndefined();
  });
});
