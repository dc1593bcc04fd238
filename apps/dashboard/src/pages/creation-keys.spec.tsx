/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen, waitFor } from '@testing-library/react';
import { openPage } from '../open-page.fixture';
import { draw, press, Refusal, type } from '../page.fixture';
import { CreateBusiness } from './operator/create-business';
import { WebhookForm } from './webhooks/webhook-form';

type Routes = Parameters<typeof draw>[1];
const done = () => undefined;

/** Fields other than the name that a form requires. */
const FIELDS: [RegExp, string][] = [
  [/^Address/, 'https://crm.example.com/hook'],
  [/^Owner’s name/, 'Asha'],
  [/^Owner’s email/, 'asha@example.com'],
];

it.each<[string, string, (routes: Routes) => void, string]>([
  ['an API key', 'POST /api/client/api-keys', (routes) => openPage('/api-keys?new=yes', routes), 'Create'],
  ['a webhook', 'POST /api/client/webhooks', (routes) => draw(<WebhookForm webhook={null} done={done} />, routes), 'Save'],
  [
    'a business',
    'POST /api/admin/businesses',
    (routes) => draw(<CreateBusiness begun={null} begin={done} done={done} />, routes),
    'Create',
  ],
])(
  'decision 785: %s keeps its Idempotency-Key after a lost response, and gets another one when it changes',
  async (_, route, open, button) => {
    const keys: (string | null)[] = [];
    open({
      [route]: (_, __, headers) => {
        keys.push(headers.get('Idempotency-Key'));
        return new Refusal(503, { error: `Refusal ${keys.length}` });
      },
    });
    await type(/^Name/, 'CRM');
    for (const [label, value] of FIELDS) if (screen.queryByLabelText(label)) await type(label, value);
    const create = async () => {
      const tries = keys.length + 1;
      await press(button);
      await waitFor(() => expect(keys).toHaveLength(tries));
      await screen.findByText(`Refusal ${tries}`);
    };
    await create();
    await create();
    await type(/^Name/, 'ERP');
    await create();
    const [first, again, changed] = keys;
    expect(first).toMatch(/^\S{16,}$/);
    expect(again).toBe(first);
    expect(changed).not.toBe(first);
  },
);
