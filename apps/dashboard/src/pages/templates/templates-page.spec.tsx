/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen, waitFor } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press, Refusal, type } from '../../page.fixture';

const template = {
  ...{ id: 3, name: 'hello', language: 'en', status: 'APPROVED', category: 'UTILITY', content: 'Hi {{1}}', variables: ['1'] },
  ...{ components: [{ type: 'BODY', text: 'Hi {{1}}' }], sent_7_days: 0 },
};
const sync = { state: 'done', found: 1, finished_at: null, problem: null };
const GET = 'GET /api/client/templates';

describe('templates', () => {
  beforeEach(() => sessionStorage.clear());

  it('decision 710: a test whose outcome is unclear keeps its Idempotency-Key, and a changed one has its own', async () => {
    const keys: (string | null)[] = [];
    openPage('/templates', {
      [GET]: () => ({ templates: [template], sync }),
      'POST /api/client/messages': (_, __, headers) => {
        keys.push(headers.get('Idempotency-Key'));
        return new Refusal(500, { error: 'The outcome is unknown.' });
      },
    });
    await screen.findByRole('button', { name: 'Fill in and test' });
    await press('Fill in and test');
    await type(/^Phone/, '+1 201 555 0102');
    for (const name of ['Asha', 'Asha', 'Asha B']) {
      const tries = keys.length;
      await type(/^\{\{1\}\}/, name);
      await press('Send a test');
      await waitFor(() => expect(keys).toHaveLength(tries + 1));
      await screen.findByText('The outcome is unknown.');
    }
    expect(keys).toEqual([expect.stringMatching(/^\S{16,}$/), keys[0], expect.anything()]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});
