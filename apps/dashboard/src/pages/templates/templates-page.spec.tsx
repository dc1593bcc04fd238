/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, screen, waitFor } from '@testing-library/react';
import { queries } from '../../api/client';
import { openPage } from '../../open-page.fixture';
import { press, Refusal, sent, type } from '../../page.fixture';

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
    await screen.findByRole('button', { name: /^Fill in and test/ });
    await press(/^Fill in and test/);
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

  describe('Fill in and test', () => {
    const example = { body_text: [['Asha']] };
    const withExample = { ...template, components: [{ type: 'BODY', text: 'Hi {{1}}', example }] };
    let address: () => string;
    beforeEach(async () => {
      address = openPage('/templates', {
        [GET]: () => ({ templates: [withExample], sync }),
        'POST /api/client/messages': () => ({ success: true, message_id: 'wamid.1' }),
      });
      await screen.findByRole('button', { name: /^Fill in and test/ });
      await press(/^Fill in and test/);
    });

    it('names all wrong fields at once, and marks the required ones', async () => {
      await type(/^Phone/, '12345');
      await press('Send a test');
      screen.getByText('Phone must be a phone number with its country code, such as +91 98765 43210.');
      screen.getByText('Enter a value for {{1}}, such as Asha.');
      expect(screen.getByText('{{1}}, such as Asha').textContent).toMatch(/\*$/);
      expect(sent()).toEqual([]);
      await type(/^Phone/, 'US.13491208655302741918');
      await type(/^\{\{1\}\}/, ' ');
      await press('Send a test');
      expect(screen.queryByText(/^Phone must/)).toBeNull();
      screen.getByText('Enter a value for {{1}}, such as Asha.');
    });

    it('leads to the message that it sent', async () => {
      await type(/^Phone/, '+1 201 555 0102');
      await type(/^\{\{1\}\}/, 'Asha');
      await press('Send a test');
      await screen.findByText('The test is on its way.');
      await press('See it in Messages');
      await waitFor(() => expect(address()).toBe('/messages?id=wamid.1'));
    });
  });

  it('counts one template as one', async () => {
    openPage('/templates', { [GET]: () => ({ templates: [template], sync }) });
    await screen.findByText(/^1 template, synced/);
  });

  describe('the editor', () => {
    const body = () => screen.findByLabelText<HTMLTextAreaElement>(/^Body/);
    const listed = (templates: object[]) => ({ [GET]: () => ({ templates, sync }) });

    it('keeps a draft while the person looks at all templates, and discards it after a question', async () => {
      openPage('/templates?edit=new', listed([template]));
      await type(/^Body/, 'We moved.');
      await press('All templates');
      await screen.findByRole('heading', { name: 'Templates' });
      await press('New template');
      expect((await body()).value).toBe('We moved.');
      await press('Discard');
      expect((await body()).value).toBe('We moved.');
      await press('Discard', 'button', await screen.findByRole('dialog', { name: 'Discard what you entered?' }));
      expect((await body()).value).toBe('');
    });

    it('confirms before a starter replaces what was entered, and not before it replaces another starter', async () => {
      openPage('/templates?edit=new', listed([]));
      await body();
      await press('Order');
      await press('Delivery');
      expect((await body()).value).toMatch(/is on its way/);
      await type(/^Body/, 'We moved.');
      await press('Order');
      const dialog = await screen.findByRole('dialog', { name: 'Replace what you entered?' });
      expect((await body()).value).toBe('We moved.');
      await press('Replace', 'button', dialog);
      expect((await body()).value).toMatch(/thank you for your order/);
    });

    describe('a template that changes while it is edited', () => {
      const now = { ...template, components: [{ type: 'BODY', text: 'Hello {{1}}' }] };
      let templates: object[];
      const change = async () => {
        templates = [now];
        await act(() => queries.invalidateQueries());
      };
      const stale = 'This template changed since you began';
      beforeEach(() => {
        templates = [template];
        openPage('/templates?edit=3', { [GET]: () => ({ templates, sync }) });
      });

      it('shows what it is now, if the person entered nothing', async () => {
        expect((await body()).value).toBe('Hi {{1}}');
        await change();
        await waitFor(async () => expect((await body()).value).toBe('Hello {{1}}'));
        expect(screen.queryByText(stale)).toBeNull();
        expect(Object.keys(sessionStorage)).toEqual([]);
      });

      it('keeps what the person entered, and shows that it is outdated, even after a reload', async () => {
        await type(/^Body/, 'Dear {{1}}');
        await change();
        await screen.findByText(stale);
        openPage('/templates?edit=3', listed([now]));
        await screen.findByText(stale);
        expect((await body()).value).toBe('Dear {{1}}');
        await press('Keep what I entered');
        expect(screen.queryByText(stale)).toBeNull();
        expect((await body()).value).toBe('Dear {{1}}');
        openPage('/templates?edit=3', listed([now]));
        expect((await body()).value).toBe('Dear {{1}}');
        expect(screen.queryByText(stale)).toBeNull();
      });

      it('takes the present template instead, after a question', async () => {
        await type(/^Body/, 'Dear {{1}}');
        await change();
        await screen.findByText(stale);
        await press('Use the present template');
        await press('Use the present template', 'button', await screen.findByRole('dialog', { name: 'Discard what you entered?' }));
        expect((await body()).value).toBe('Hello {{1}}');
        expect(screen.queryByText(stale)).toBeNull();
        expect(Object.keys(sessionStorage)).toEqual([]);
      });
    });

    it('shows that the edited template is gone, instead of creating another one', async () => {
      let templates = [template];
      const refresh = () => act(() => queries.invalidateQueries());
      openPage('/templates?edit=3', { [GET]: () => ({ templates, sync }) });
      await type(/^Body/, 'We moved.');
      templates = [];
      await refresh();
      await screen.findByText('This template is gone');
      expect(screen.queryByRole('button', { name: 'Submit for review' })).toBeNull();
      templates = [template];
      await refresh();
      expect((await body()).value).toBe('We moved.');
      openPage('/templates?edit=4', listed([template]));
      await screen.findByText('This template is gone');
      await press('All templates');
      await screen.findByRole('heading', { name: 'Templates' });
    });
  });
});
