/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { queries } from '../../api/client';
import { openPage } from '../../open-page.fixture';
import { press, Refusal, sent, type } from '../../page.fixture';

const webhook = (id: number) => ({
  id,
  name: `Hook ${id}`,
  url: 'https://a.example',
  events: [],
  is_active: 1,
  fail_count: 0,
  has_secret: true,
  last_triggered_at: null,
});

it('the log of deliveries names no period, because RETENTION_DELIVERIES_DAYS configures it', async () => {
  openPage('/webhooks?id=1', {
    'GET /api/client/webhooks': () => ({ webhooks: [webhook(1)] }),
    'GET /api/client/webhooks/1/deliveries': () => ({ deliveries: [], next_cursor: null }),
  });
  const log = within(await screen.findByRole('dialog', { name: /^Deliveries/ }));
  fireEvent.click(await log.findByRole('combobox', { name: 'State' }));
  await press('failed', 'option');
  await log.findByText('No deliveries match these filters.');
  expect(document.body.textContent).not.toMatch(/\d+ days/);
});

it('decision 670: the log of deliveries keeps its rows in their places: new ones wait until they are asked for', async () => {
  const delivery = (id: number) => ({
    ...{ id, event: 'message.received', event_id: `message.received:${id}`, state: 'succeeded', attempts: 1, response_code: 200 },
    ...{ reason: null, created_at: '2026-01-05T09:00:00.000Z', finished_at: '2026-01-05T09:00:01.000Z', duration_ms: 7, replay_of: null },
  });
  let ids = [2, 1];
  openPage('/webhooks?id=1', {
    'GET /api/client/webhooks': () => ({ webhooks: [webhook(1)] }),
    'GET /api/client/webhooks/1/deliveries': () => ({ deliveries: ids.map(delivery), next_cursor: null }),
  });
  const log = within(await screen.findByRole('dialog', { name: /^Deliveries/ }));
  await waitFor(() => expect(log.getAllByRole('listitem')).toHaveLength(2));
  ids = [4, 3, 2, 1];
  await log.findByRole('button', { name: 'Show new deliveries (2)' });
  expect(log.getAllByRole('listitem')).toHaveLength(2);
  await press('Show new deliveries (2)');
  expect(log.getAllByRole('listitem')).toHaveLength(4);
  expect(log.queryByRole('button', { name: /^Show new/ })).toBeNull();
});

it('the log of deliveries takes a year of five digits for no date', async () => {
  const filters: string[] = [];
  openPage('/webhooks?id=1', {
    'GET /api/client/webhooks': () => ({ webhooks: [webhook(1)] }),
    'GET /api/client/webhooks/1/deliveries': (_, { searchParams }) => {
      filters.push(`${searchParams.get('from')} ${searchParams.get('to')}`);
      return { deliveries: [], next_cursor: null };
    },
  });
  const log = within(await screen.findByRole('dialog', { name: /^Deliveries/ }));
  await log.findByText('No deliveries yet');
  for (const label of ['From', 'Until', 'Redeliver all failed since'])
    fireEvent.change(log.getByLabelText(`${label}, Asia/Kolkata time`), { target: { value: '12026-01-05T09:00' } });
  await log.findByText('No deliveries yet');
  expect(log.getByRole<HTMLButtonElement>('button', { name: 'Redeliver all' }).disabled).toBe(true);
  fireEvent.change(log.getByLabelText(/^From/), { target: { value: '2026-01-05T09:00' } });
  await log.findByText('No deliveries match these filters.');
  expect(new Set(filters)).toEqual(new Set(['null null', '2026-01-05T03:30:00.000Z null']));
});

it('the log of deliveries and the recovery show that clocks skip a time', async () => {
  openPage('/webhooks?id=1', {
    'GET /api/client/me': () => ({
      user: { id: 1, name: 'Asha', role: 'owner' },
      business: { id: 1, name: 'Kaveri', plan: 'Growth', timezone: 'America/New_York' },
    }),
    'GET /api/client/webhooks': () => ({ webhooks: [webhook(1)] }),
    'GET /api/client/webhooks/1/deliveries': () => ({ deliveries: [], next_cursor: null }),
    'GET /api/client/webhooks/1/recover': () => ({ recovery: null }),
  });
  const log = within(await screen.findByRole('dialog', { name: /^Deliveries/ }));
  for (const label of [/^From/, /^Until/, /^Redeliver all failed since/]) {
    const field = await log.findByLabelText<HTMLInputElement>(label);
    fireEvent.change(field, { target: { value: '2026-03-08T02:30' } });
    await log.findByText('Clocks in America/New_York skip this time. Choose another one.');
    expect([field.value, field.getAttribute('aria-invalid')]).toEqual(['2026-03-08T02:30', 'true']);
    fireEvent.change(field, { target: { value: '2026-03-08T03:00' } });
    await waitFor(() => expect(log.queryByText(/skip this time/)).toBeNull());
  }
});

it('a new webhook gets the status of messages by default, and the form explains what causes each event', async () => {
  openPage('/webhooks?new=yes', { 'GET /api/client/webhooks': () => ({ webhooks: [] }) });
  const status = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'message.status' });
  expect(status.checked).toBe(true);
  screen.getByText('A message of yours was delivered, read or failed.');
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'webhook.failing' }).checked).toBe(false);
});

it('decision 753: a save that ends while another webhook is edited leaves its form open, and the form or a notice shows a refusal', async () => {
  let respond = (_: object) => {};
  const hold = () => new Promise<object>((resolve) => (respond = resolve));
  openPage('/webhooks', {
    'GET /api/client/webhooks': () => ({ webhooks: [webhook(1), webhook(2)] }),
    'PUT /api/client/webhooks/1': hold,
    'PUT /api/client/webhooks/2': hold,
  });
  const edit = async (name: string) => {
    await press(`Actions for ${name}`);
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
    await screen.findByDisplayValue(name);
  };
  await screen.findByText('Hook 1');
  await edit('Hook 1');
  await press('Save');
  await waitFor(() => expect(queries.isMutating()).toBe(1));
  fireEvent.keyDown(document.body, { key: 'Escape', code: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await edit('Hook 2');
  await type(/^Name/, 'Hook two');
  respond({ success: true });
  await screen.findByText('The webhook was saved.');
  await waitFor(() => expect(queries.isMutating()).toBe(0));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  screen.getByDisplayValue('Hook two');
  const save = async (nth: number) => {
    await press('Save');
    await waitFor(() => expect(sent()).toHaveLength(nth));
  };
  await save(2);
  respond(new Refusal(400, { error: 'The address is blocked.' }));
  expect((await screen.findByText('The address is blocked.')).closest('form')).not.toBeNull();
  await save(3);
  fireEvent.keyDown(document.body, { key: 'Escape', code: 'Escape' });
  await press('Discard', 'button', await screen.findByRole('dialog', { name: 'Discard what you entered?' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  respond(new Refusal(400, { error: 'The address is blocked.' }));
  await screen.findByText('The address is blocked.');
});
