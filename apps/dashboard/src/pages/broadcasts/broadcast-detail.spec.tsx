/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen } from '@testing-library/react';
import { queries } from '../../api/client';
import { draw, press, sent } from '../../page.fixture';
import { BroadcastDetail } from './broadcast-detail';

const AT = '2026-01-05T09:00:00.000Z';
const broadcast = {
  ...{ id: 7, name: 'Autumn', template_name: 'offer', language: 'en', status: 'completed', created_at: AT, scheduled_at: null },
  ...{ started_at: AT, finished_at: AT, retry_of: null, pause_cause: null, cost: null },
  ...{ total_recipients: 10, sent: 7, failed: 3, unclear: 0, pending: 0, delivered: 6, read: 4, replied: 2, retryable: 0, failures: [] },
};

const me = { user: { id: 1, role: 'manager' }, business: { id: 1, timezone: 'UTC' } };

/** Draws the details of a broadcast. */
function drawDetail(changed: object, routes: Parameters<typeof draw>[1] = {}): void {
  const none = () => undefined;
  const shown = { state: undefined, phone: undefined, reason: undefined };
  function Logged() {
    queries.setQueryData(['me'], me);
    return <BroadcastDetail id={7} shown={shown} onShow={none} onOpen={none} onDuplicate={none} />;
  }
  draw(<Logged />, {
    'GET /api/client/me': () => me,
    'GET /api/client/broadcasts/7': () => ({ ...broadcast, ...changed }),
    'GET /api/client/broadcasts/7/recipients': () => ({ recipients: [], next_cursor: null }),
    ...routes,
  });
}

describe('the details of a broadcast', () => {
  it('decision 620: name the error that paused it, what to do, and who still gets the message', async () => {
    const pause_cause = { error_code: 'NOT_CONNECTED', message: 'The access token is expired.', hint: 'Enter a valid token.' };
    const paused = { status: 'paused', finished_at: null, sent: 2, failed: 0, pending: 8, pause_cause };
    drawDetail(paused, { 'POST /api/client/broadcasts/7/resume': () => ({ message: 'Broadcast resumed.' }) });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(/The access token is expired\. Enter a valid token\..*8 people still get the message/);
    await press('Resume');
    await screen.findByText('Broadcast resumed.');
    expect(sent().map(({ route }) => route)).toEqual(['POST /api/client/broadcasts/7/resume']);
  });
});
