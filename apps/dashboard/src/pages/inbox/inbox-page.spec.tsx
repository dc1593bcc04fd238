/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { defaultParseSearch } from '@tanstack/react-router';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { queries } from '../../api/client';
import { openPage } from '../../open-page.fixture';
import { press, Refusal, sent, type, type draw } from '../../page.fixture';
import type { ListedConversation } from './conversation';
import { listedConversation } from './conversation.fixture';
import type { ThreadMessage } from './thread-message';

const AT = '2026-11-23T09:00:00.000Z';
const message = (message_id: string, more: Partial<ThreadMessage> = {}): ThreadMessage => ({
  message_id,
  direction: 'in',
  type: 'text',
  text: `Text of ${message_id}`,
  media: null,
  sent_by: null,
  template: null,
  at: AT,
  author: null,
  api_key: null,
  delivery_status: null,
  failure_reason: null,
  ...more,
});
const counts = { mine: 0, unassigned: 3, open: 3, closed: 1, unread: 1, waiting: 0 };

/** Opens the inbox by its address, for an agent. @returns its present search values */
function open(address: string, listed: ListedConversation[], routes: Parameters<typeof draw>[1] = {}) {
  const threads = Object.fromEntries(
    listed.map((one) => [
      `GET /api/client/conversations/${one.id}/messages`,
      () => ({ conversation: one, messages: [message(`wamid.${one.id}`)], next_cursor: null }),
    ]),
  );
  const present = openPage(address, {
    'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role: 'agent' }, business: { id: 1, name: 'Kaveri', plan: 'Growth' } }),
    'GET /api/client/conversations': () => ({ conversations: listed, counts, waiting_since: null, next_cursor: null }),
    'GET /api/client/team': () => ({ users: [{ id: 1, name: 'Asha' }] }),
    'GET /api/client/labels': () => ({ labels: [] }),
    'GET /api/client/quick-replies': () => ({ quick_replies: [] }),
    ...threads,
    ...routes,
  });
  return () => defaultParseSearch(new URL(present(), 'http://localhost').search) as Record<string, string>;
}

const template = {
  id: 3,
  name: 'hello',
  language: 'en',
  status: 'APPROVED',
  category: 'UTILITY',
  content: 'Hi {{1}}',
  variables: ['1'],
  components: [{ type: 'BODY', text: 'Hi {{1}}' }],
};
/** Responds to uploads of files. @param release the upload lasts until it resolves */
function takeUploads(release: Promise<void> = Promise.resolve()): void {
  class Upload {
    upload = {};
    onload = () => undefined;
    status = 200;
    responseText = JSON.stringify({ media_id: 'media-1' });
    open = () => undefined;
    setRequestHeader = () => undefined;
    abort = () => undefined;
    send = () => setTimeout(() => void release.then(() => this.onload()));
  }
  Object.assign(window, { XMLHttpRequest: Upload });
  Object.assign(URL, { createObjectURL: () => 'blob:picture', revokeObjectURL: () => undefined });
}
/** @returns false if the page prevents the browser from opening the files */
const drop = (...files: File[]) =>
  fireEvent(window, Object.assign(new Event('drop', { cancelable: true }), { dataTransfer: { types: ['Files'], files } }));

const three = [listedConversation(1), listedConversation(2), listedConversation(3)];

describe('the inbox (additions §9)', () => {
  it('quick replies: adding one sends no half-written reply', async () => {
    open('/inbox?id=1', three, { 'POST /api/client/quick-replies': () => ({ id: 1, message: 'Created.' }) });
    await type('Reply', 'half a rep');
    await press('Quick replies');
    const dialog = await screen.findByRole('dialog', { name: 'Quick replies' });
    await type(/^Shortcut/, 'hours');
    await type(/^Text/, 'From 9 to 18.');
    await press('Add', 'button', dialog);
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]?.route).toBe('POST /api/client/quick-replies');
    expect(screen.getByLabelText<HTMLTextAreaElement>('Reply').value).toBe('half a rep');
  });

  it('quick replies and colleagues: the open conversation follows their changes within a minute', async () => {
    jest.useFakeTimers();
    let [text, name] = ['It costs 5', 'Ben'];
    open('/inbox?id=1', three, {
      'GET /api/client/quick-replies': () => ({ quick_replies: [{ id: 4, shortcut: 'price', text }] }),
      'GET /api/client/team': () => ({ users: [{ id: 2, name }] }),
    });
    const wait = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
    for (let tries = 0; tries < 50 && screen.queryByLabelText('Reply') === null; tries++) await wait(100);
    fireEvent.change(screen.getByLabelText('Reply'), { target: { value: '/price' } });
    fireEvent.click(screen.getByRole('button', { name: /Assign/ }));
    await wait(500);
    expect(document.body.textContent).toMatch(/It costs 5.*/);
    [text, name] = ['It costs 9', 'Chloe'];
    await wait(61_000);
    expect(screen.queryByText('It costs 9')).not.toBeNull();
    expect(screen.queryByText('Chloe')).not.toBeNull();
    jest.useRealTimers();
  });

  it('quick replies: one from the list is inserted below what the reply has already', async () => {
    sessionStorage.clear();
    const replies = [{ id: 4, shortcut: 'hours', text: 'From 9 to 18.' }];
    open('/inbox?id=1', three, { 'GET /api/client/quick-replies': () => ({ quick_replies: replies }) });
    await type('Reply', 'Hello');
    await press('Quick replies');
    await screen.findByRole('button', { name: 'Insert hours' });
    await press('Insert hours');
    const field = screen.getByLabelText<HTMLTextAreaElement>('Reply');
    await waitFor(() => expect(field.value).toBe('Hello\nFrom 9 to 18.'));
    expect(document.activeElement).toBe(field);
    await press('Note');
    await press('Quick replies');
    await screen.findByRole('button', { name: 'Edit hours' });
    expect(screen.queryByRole('button', { name: 'Insert hours' })).toBeNull();
  });

  it('assigns to a colleague whom a search finds, and shows colleagues in the list', async () => {
    const ben = { id: 2, name: 'Ben' };
    const users = [ben, { id: 3, name: 'Chloe' }, { id: 1, name: 'Asha' }];
    const listed = [listedConversation(1, { assigned_to: ben }), listedConversation(2, { assigned_to: { id: 1, name: 'Asha' } })];
    open('/inbox?id=1', listed, {
      'GET /api/client/team': () => ({ users }),
      'PATCH /api/client/conversations/1': () => ({ conversation: listed[0] }),
    });
    const rows = await screen.findByRole('region', { name: 'Conversations' });
    expect(await within(rows).findAllByText(/assigned to/)).toHaveLength(1);
    await screen.findByRole('button', { name: 'Assigned to Ben' });
    await press('Assigned to Ben');
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(4));
    const names = () => screen.getAllByRole('option').map(({ textContent }) => textContent);
    expect(names()).toEqual(['Asha (you)', 'Nobody', 'Ben', 'Chloe']);
    screen.getByRole('combobox', { name: 'Search for a colleague' });
    await type('Search for a colleague', 'chl');
    expect(names()).toEqual(['Chloe']);
    fireEvent.click(screen.getByRole('option', { name: 'Chloe' }));
    await waitFor(() => expect(sent()).toEqual([{ route: 'PATCH /api/client/conversations/1', body: { assigned_to: 3 } }]));
  });

  it('contact: offers no automatic replies before it knows whether the business has them', async () => {
    open('/inbox?id=1', three, { 'GET /api/client/auto-reply/enabled': () => new Promise(() => undefined) });
    await screen.findByText('Automatic replies');
    expect(screen.queryByRole('switch', { name: 'Automatic replies' })).toBeNull();
  });

  it('quick replies: refuse variables, when they are saved and when a reply is sent', async () => {
    sessionStorage.clear();
    open('/inbox?id=1', three);
    await type('Reply', 'Hi {{name}}, we are open.');
    const problem = 'Only templates have variables: write the words in place of {{name}}.';
    await screen.findByText(problem);
    fireEvent.keyDown(screen.getByLabelText('Reply'), { key: 'Enter' });
    expect(screen.getByRole('button', { name: 'Send' }).hasAttribute('disabled')).toBe(true);
    await type('Reply', 'Hi Asha, we are open.');
    expect(screen.queryByText(problem)).toBeNull();
    await press('Quick replies');
    const dialog = await screen.findByRole('dialog', { name: 'Quick replies' });
    await type(/^Shortcut/, 'hi');
    await type(/^Text/, 'Hi {{name}}.');
    await press('Add', 'button', dialog);
    within(dialog).getByText(problem);
    expect(sent()).toEqual([]);
  });

  it('quick replies: one is deleted after a question only', async () => {
    const DELETE = 'DELETE /api/client/quick-replies/4';
    const texts = [{ id: 4, shortcut: 'hours', text: 'We are open from 9 to 18.' }];
    open('/inbox?id=1', three, {
      'GET /api/client/quick-replies': () => ({ quick_replies: texts }),
      [DELETE]: () => ({ message: 'Quick reply deleted.' }),
    });
    await screen.findByText('Text of wamid.1');
    await press('Quick replies');
    await screen.findByRole('button', { name: 'Delete hours' });
    await press('Delete hours');
    const question = await screen.findByRole('dialog', { name: 'Delete the quick reply /hours?' });
    expect(sent()).toEqual([]);
    await press('Delete', 'button', question);
    await waitFor(() => expect(sent().map(({ route }) => route)).toEqual([DELETE]));
  });

  it('reply: a file that cannot be sent, and a second one, leave the text to be sent', async () => {
    sessionStorage.clear();
    takeUploads();
    open('/inbox?id=1', three, {
      'POST /api/client/conversations/1/messages': () => ({ message_id: 'wamid.9' }),
      'POST /api/client/conversations/1/files': () => ({ message_id: 'wamid.10' }),
    });
    const send = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send' });
    await type('Reply', 'Hello');
    drop(new File(['x'], 'setup.exe', { type: 'application/x-msdownload' }));
    await screen.findByText(/WhatsApp does not send files like setup.exe/);
    expect(send().disabled).toBe(false);
    await press('Send');
    await waitFor(() => expect(sent()).toMatchObject([{ body: { text: 'Hello' } }]));
    await type('Reply', 'Look');
    drop(...['a.png', 'b.png'].map((name) => new File(['x'], name, { type: 'image/png' })));
    await screen.findByText('A message carries one file. Send the others after this one.');
    await waitFor(() => expect(send().disabled).toBe(false));
    await type('Reply', 'Look, {{name}}');
    await screen.findByText(/Only templates have variables/);
    await type('Reply', 'Look');
    await press('Send');
    await waitFor(() => expect(sent().at(-1)?.body).toMatchObject({ media_id: 'media-1' }));
    expect(screen.queryByText(/A message carries one file/)).toBeNull();
    await press('Note');
    expect(drop(new File(['x'], 'a.png', { type: 'image/png' }))).toBe(false);
    await screen.findByText(/^A note has no files/);
    sessionStorage.clear();
  });

  it.each([
    [
      'the window is closed',
      { session_window: { open: false, last_inbound_at: AT, closes_at: null } },
      /^The 24-hour window is closed. Send/,
      () => screen.getByRole('button', { name: 'Template' }),
    ],
    ['the customer opted out', { suppression_state: 'opted_out' as const }, 'Messages to this customer are refused.', () => document.body],
  ])('a dropped file does not replace the page if %s, and r begins a template where possible', async (_, more, refusal, focused) => {
    open('/inbox?id=1', [listedConversation(1, more)]);
    await screen.findByText('Text of wamid.1');
    expect(drop(new File(['x'], 'a.png', { type: 'image/png' }))).toBe(false);
    await screen.findByText(refusal);
    fireEvent.keyDown(document.body, { key: 'r' });
    expect(document.activeElement).toBe(focused());
  });

  it('an inbox without conversations offers none to choose', async () => {
    open('/inbox', []);
    await screen.findByText(/the conversation appears here|nobody handles appear here|assigned to you appear here/);
    expect(screen.queryByText('Choose a conversation')).toBeNull();
  });

  it('a dropped file does not replace a page that takes none', async () => {
    open('/inbox', three);
    await screen.findByText('Choose a conversation');
    expect(drop(new File(['x'], 'a.png', { type: 'image/png' }))).toBe(false);
  });

  it('decision 744: a file and a quotation stay with the text, and a reload names a file whose upload it ended', async () => {
    sessionStorage.clear();
    let release = () => {};
    takeUploads(new Promise((resolve) => (release = resolve)));
    const invoice = new File(['x'], 'invoice.pdf', { type: 'application/pdf' });
    const FILES = 'POST /api/client/conversations/1/files';
    open('/inbox?id=1', three);
    await screen.findByText('Text of wamid.1');
    await press(/^Quote/);
    await type('Reply', 'Your invoice');
    drop(invoice);
    await screen.findByText(/uploading/);
    open('/inbox?id=1', three, { [FILES]: () => ({ message_id: 'wamid.9' }) });
    await screen.findByText('invoice.pdf was not uploaded: the page closed. Attach it again.');
    drop(invoice);
    await screen.findByText(/uploading/);
    await press(/^Person 2/);
    await screen.findByText('Text of wamid.2');
    expect(screen.queryByText('invoice.pdf')).toBeNull();
    release();
    await press(/^Person 1/);
    await screen.findByText('invoice.pdf');
    await screen.findByText('1 B');
    await press('Send');
    const file = { media_id: 'media-1', media_type: 'document', filename: 'invoice.pdf' };
    await waitFor(() => expect(sent()).toEqual([{ route: FILES, body: { ...file, reply_to: 'wamid.1', caption: 'Your invoice' } }]));
    expect(screen.queryByText('invoice.pdf')).toBeNull();
    expect(sessionStorage).toHaveLength(0);
  });

  it('reply: cells of a spreadsheet are pasted as text, and a copied picture or file as a file', async () => {
    sessionStorage.clear();
    takeUploads();
    open('/inbox?id=1', three);
    const files = [new File(['x'], 'image.png', { type: 'image/png' })];
    /** @returns whether the browser inserts the text */
    const paste = async (data: Record<string, string>) =>
      fireEvent.paste(await screen.findByLabelText('Reply'), {
        clipboardData: { files, types: [...Object.keys(data), 'Files'], getData: (type: string) => data[type] ?? '' },
      });
    expect(await paste({ 'text/plain': 'Order\t1007', 'text/html': '<td>Order</td><td>1007</td>' })).toBe(true);
    expect(screen.queryByText('image.png')).toBeNull();
    const copied: Record<string, string>[] = [{ 'text/html': '<img src="a.png">' }, { 'text/plain': 'image.png' }];
    for (const data of copied) {
      expect(await paste(data)).toBe(false);
      fireEvent.click(await screen.findByRole('button', { name: 'Remove the file' }));
    }
  });

  it('reply: Escape leaves the field, and first closes the quick replies', async () => {
    const quick_replies = [{ id: 7, shortcut: 'hours', text: 'From 9 to 18.' }];
    open('/inbox?id=1', three, { 'GET /api/client/quick-replies': () => ({ quick_replies }) });
    await screen.findByText('Text of wamid.1');
    fireEvent.keyDown(document.body, { key: 'r' });
    const field = screen.getByLabelText('Reply');
    expect(document.activeElement).toBe(field);
    await type('Reply', '/ho');
    await screen.findByRole('listbox', { name: 'Quick replies' });
    fireEvent.keyDown(field, { key: 'Escape' });
    expect([screen.queryByRole('listbox'), document.activeElement]).toEqual([null, field]);
    fireEvent.keyDown(field, { key: 'Escape' });
    expect(document.activeElement).toBe(document.body);
  });

  it('header: a phone shows the time until the window closes', async () => {
    const closes_at = new Date(Date.now() + 3_590_000).toISOString();
    open('/inbox?id=1', [{ ...listedConversation(1), session_window: { open: true, last_inbound_at: AT, closes_at } }]);
    const shown = await screen.findAllByText('1 h 0 min left');
    expect(shown.some((one) => one.closest('.mantine-hidden-from-xs'))).toBe(true);
  });

  describe('a reply that was not accepted (decision 590)', () => {
    const REPLY = 'POST /api/client/conversations/1/messages';
    const key = (headers: Headers) => headers.get('Idempotency-Key');
    beforeEach(() => sessionStorage.clear());

    it('survives another conversation and a reload, and is sent again with its key', async () => {
      const keys: (string | null)[] = [];
      const offline = {
        [REPLY]: (_: unknown, __: unknown, headers: Headers) => {
          keys.push(key(headers));
          throw new TypeError('Failed to fetch');
        },
      };
      open('/inbox?id=1', three, offline);
      await type('Reply', 'It is on its way');
      await press('Send');
      await screen.findByText(/^Not sent/);
      await press(/^Person 2/);
      await screen.findByText('Text of wamid.2');
      expect(screen.queryByText(/^Not sent/)).toBeNull();
      await press(/^Person 1/);
      await screen.findByText(/^Not sent/);
      open('/inbox?id=1', three, {
        [REPLY]: (_: unknown, __: unknown, headers: Headers) => {
          keys.push(key(headers));
          return { success: true, message_id: 'wamid.1' };
        },
      });
      await screen.findByText('Not sent: The server did not respond.');
      await press(/^Send again/);
      await waitFor(() => expect(screen.queryByText(/^Not sent/)).toBeNull());
      // The page repeats a request whose connection broke once by itself.
      expect(keys).toEqual([expect.any(String), keys[0], keys[0]]);
      open('/inbox?id=1', three);
      await screen.findByText('Text of wamid.1');
      expect(screen.queryByText(/^Not sent/)).toBeNull();
    });

    it('gives the focus to the reply field if it is sent again by keyboard, or edited', async () => {
      open('/inbox?id=1', three, { [REPLY]: () => new Refusal(503, { error: 'Try again shortly.' }) });
      await type('Reply', 'It is on its way');
      await press('Send');
      const again = await screen.findByRole('button', { name: /^Send again/ });
      act(() => again.focus());
      fireEvent.click(again, { detail: 1 });
      expect(document.activeElement).not.toBe(screen.getByLabelText('Reply'));
      fireEvent.click(await screen.findByRole('button', { name: /^Send again/ }), { detail: 0 });
      expect(document.activeElement).toBe(screen.getByLabelText('Reply'));
      fireEvent.click(await screen.findByRole('button', { name: /^Edit/ }));
      expect(document.activeElement).toBe(await screen.findByDisplayValue('It is on its way'));
    });

    it('is gone when its request succeeded while another conversation was open', async () => {
      let respond: (response: object) => void = () => undefined;
      open('/inbox?id=1', three, { [REPLY]: () => new Promise((resolve) => (respond = resolve)) });
      await type('Reply', 'It is on its way');
      await press('Send');
      await screen.findByText('sending…');
      await press(/^Person 2/);
      await screen.findByText('Text of wamid.2');
      await act(async () => {
        respond({ success: true });
        await Promise.resolve();
      });
      await press(/^Person 1/);
      await screen.findByText('Text of wamid.1');
      await waitFor(() => expect(screen.queryByText('It is on its way')).toBeNull());
    });

    it('stays in view until the thread shows it, and is never shown twice', async () => {
      let isAccepted = false;
      let load: () => void = () => undefined;
      open('/inbox?id=1', three, {
        [REPLY]: () => {
          isAccepted = true;
          return { success: true, message_id: 'wamid.new' };
        },
        'GET /api/client/conversations/1/messages': async () => {
          const ours = message('wamid.new', { direction: 'out', text: 'It is on its way', delivery_status: 'sent' });
          if (isAccepted) await new Promise<void>((resolve) => (load = resolve));
          return { conversation: three[0], messages: [...(isAccepted ? [ours] : []), message('wamid.1')], next_cursor: null };
        },
      });
      await type('Reply', 'It is on its way');
      await press('Send');
      await waitFor(() => expect(screen.queryByText('sending…')).toBeNull());
      expect(screen.getAllByText('It is on its way')).toHaveLength(1);
      await type('Reply', 'And another one');
      await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(false));
      act(() => load());
      await waitFor(() => expect(document.querySelector('.inbox-line[data-mine]')).not.toBeNull());
      expect(screen.getAllByText('It is on its way')).toHaveLength(1);
    });

    it.each(['reply', 'note'])('is shown once if the thread has it before the response to its request: a %s', async (kind) => {
      let respond: (response: object) => void = () => undefined;
      const pending = () => new Promise<object>((resolve) => (respond = resolve));
      const text = 'It is on its way';
      const written = { direction: 'out', type: kind === 'note' ? 'note' : 'text', text, author: { id: 1, name: 'Asha' } } as const;
      // The person wrote the same text before.
      let messages = [message('wamid.old', written), message('wamid.1')];
      open('/inbox?id=1', three, {
        [REPLY]: pending,
        'POST /api/client/conversations/1/notes': pending,
        'GET /api/client/conversations/1/messages': () => ({ conversation: three[0], messages, next_cursor: null }),
      });
      await screen.findByText(text);
      if (kind === 'note') await press('Note');
      fireEvent.change(screen.getByRole('textbox', { name: kind === 'note' ? 'Note' : 'Reply' }), { target: { value: text } });
      await press(kind === 'note' ? 'Add' : 'Send');
      await waitFor(() => expect(screen.getAllByText(text)).toHaveLength(2));
      messages = [message(kind === 'note' ? 'note:9' : 'wamid.new', written), ...messages];
      await act(() => queries.invalidateQueries({ queryKey: ['inbox', 'thread'] }));
      await waitFor(() => expect([screen.getAllByText(text).length, screen.queryByText('sending…')]).toEqual([2, null]));
      await act(async () => {
        respond(kind === 'note' ? { id: 9 } : { success: true, message_id: 'wamid.new' });
        await Promise.resolve();
      });
      await waitFor(() => expect(screen.getByRole('button', { name: 'Send' }).dataset['loading']).toBeUndefined());
      expect(screen.getAllByText(text)).toHaveLength(2);
    });

    it('is repeated with its key if the connection breaks before the response', async () => {
      const keys: (string | null)[] = [];
      open('/inbox?id=1', three, {
        [REPLY]: (_: unknown, __: unknown, headers: Headers) => {
          keys.push(key(headers));
          if (keys.length === 1) throw new TypeError('Failed to fetch');
          return { success: true, message_id: 'wamid.1' };
        },
      });
      await type('Reply', 'It is on its way');
      await press('Send');
      await screen.findByText('sending…');
      await waitFor(() => expect(screen.queryByText('It is on its way')).toBeNull());
      expect(keys).toEqual([expect.any(String), keys[0]]);
    });

    it('moves with the draft to the conversation into which its own was merged', async () => {
      const merged = listedConversation(1);
      let isMerged = false;
      const search = open('/inbox?id=2', three, {
        'POST /api/client/conversations/2/messages': () => new Refusal(503, { error: 'Try again shortly.' }),
        'GET /api/client/conversations/2/messages': () => ({
          conversation: isMerged ? merged : three[1],
          messages: [message('wamid.2')],
          next_cursor: null,
        }),
      });
      await type('Reply', 'It is on its way');
      await press('Send');
      await screen.findByText('Not sent: Try again shortly.');
      await type('Reply', 'Half a rep');
      isMerged = true;
      await act(() => queries.invalidateQueries({ queryKey: ['inbox', 'thread'] }));
      await waitFor(() => expect(search().id).toBe('1'));
      await screen.findByText('Text of wamid.1');
      expect(screen.getByText('Not sent: Try again shortly.')).toBeTruthy();
      expect(screen.getByLabelText<HTMLTextAreaElement>('Reply').value).toBe('Half a rep');
      const rows = screen.getByRole('region', { name: 'Conversations' });
      expect(within(rows).getByRole('button', { current: true }).textContent).toMatch('Person 1');
    });

    it('offers no other try when the key may have expired (decision 24)', async () => {
      const day = 24 * 3_600_000;
      const old = { key: 'k', firstSentAt: Date.now() - day, text: 'Old', problem: null };
      sessionStorage.setItem('kept 1 unsent 1', JSON.stringify([old, { ...old, key: 'l', firstSentAt: Date.now(), text: 'New' }]));
      open('/inbox?id=1', three);
      await waitFor(() => expect(screen.getAllByText('Not sent: The page closed before the server responded.')).toHaveLength(2));
      // A screen reader lists the buttons without their replies.
      expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Send again “Old”, / }).disabled).toBe(true);
      expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Send again “New”, / }).disabled).toBe(false);
      expect(screen.getAllByRole('button', { name: /^Edit “(Old|New)”, / })).toHaveLength(2);
    });
  });

  it('decision 600: times and days are those of the business’s zone, which the customer’s pane names', async () => {
    const closes_at = '2026-11-24T20:00:00.000Z';
    const one = listedConversation(1, {
      session_window: { open: true, last_inbound_at: AT, closes_at },
      last_message: { direction: 'in', type: 'text', text: 'Hello', at: '2026-11-23T20:00:00.000Z', sent_by: null, author: null },
    });
    open('/inbox?id=1', [one], {
      'GET /api/client/me': () => ({
        user: { id: 1, name: 'Asha', role: 'agent' },
        business: { id: 1, name: 'Kaveri', plan: 'Growth', timezone: 'Asia/Kolkata' },
      }),
      'GET /api/client/conversations/1/messages': () => ({
        conversation: one,
        messages: [message('wamid.1', { at: '2026-11-23T20:00:00.000Z' })],
        next_cursor: null,
      }),
    });
    await screen.findByText('Text of wamid.1');
    expect(screen.getByText('Text of wamid.1').closest('.inbox-line')?.textContent).toContain('1:30 AM');
    const pane = await screen.findByRole('complementary', { name: 'Customer' });
    within(pane).getByText(/, 1:30 AM$/);
    within(pane).getByText('Asia/Kolkata');
  });

  it('shows the number beside a name that several customers have', async () => {
    open('/inbox', [
      listedConversation(1, { customer_name: 'Ravi' }),
      listedConversation(2, { customer_name: 'Ravi' }),
      listedConversation(3, { customer_name: 'Meera' }),
    ]);
    await screen.findByRole('button', { name: /Ravi.*\+1 201.555.0101/ });
    expect(screen.getByRole('button', { name: /Meera/ }).textContent).not.toContain('+1');
  });

  it('shows the number in place of a name that nobody can see', async () => {
    const list = ['  ', '\u3164\ufe0f', '\u200b\u2800'].map((customer_name, i) => listedConversation(i + 1, { customer_name }));
    open('/inbox?id=1', list);
    for (const number of [1, 2, 3]) await screen.findByRole('button', { name: new RegExp(`^\\+1 201.555.010${number}`) });
    const pane = within(await screen.findByRole('complementary', { name: 'Customer' }));
    expect(pane.getAllByText(/\+1 201.555.0101/)).toHaveLength(1);
  });

  it.each(['owner', 'agent'])('automatic replies of a conversation are off for an %s while the business has them off', async (role) => {
    const me = { user: { id: 1, name: 'Asha', role }, business: { id: 1, name: 'Kaveri', plan: 'Growth' } };
    let enabled = false;
    const routes = { 'GET /api/client/me': () => me, 'GET /api/client/auto-reply/enabled': () => ({ enabled }) };
    const pane = async () => within(await screen.findByRole('complementary', { name: 'Customer' }));
    open('/inbox?id=1', three, routes);
    await (await pane()).findByText('off for the business');
    expect(screen.queryByRole('switch', { name: 'Automatic replies' })).toBeNull();
    enabled = true;
    open('/inbox?id=1', three, routes);
    const on = await (await pane()).findByRole<HTMLInputElement>('switch', { name: 'Automatic replies' });
    expect([on.checked, on.disabled]).toEqual([true, false]);
  });

  describe('a customer who opted out', () => {
    const REPLY = 'POST /api/client/conversations/1/messages';
    const optedOut = listedConversation(1, { suppression_state: 'opted_out' });
    beforeEach(() => sessionStorage.clear());
    afterEach(() => sessionStorage.clear());

    it('gets no reply: a notice stands in place of the field, notes stay possible, and an owner can allow messages', async () => {
      const me = { user: { id: 1, name: 'Asha', role: 'owner' }, business: { id: 1, name: 'Kaveri', plan: 'Growth' } };
      open('/inbox?id=1', [optedOut], {
        'GET /api/client/me': () => me,
        'DELETE /api/client/suppressions/12015550101': () => ({ message: 'Allowed.' }),
      });
      await screen.findByText('This customer opted out');
      expect(screen.queryByRole('textbox', { name: 'Reply' })).toBeNull();
      expect(screen.queryByRole('button', { name: /^(Send|Attach a file|Template|Quote)$/ })).toBeNull();
      await press('Note');
      await screen.findByRole('textbox', { name: 'Note' });
      await press('Reply');
      await press('Allow messages');
      await press('Allow messages', 'button', await screen.findByRole('dialog'));
      await waitFor(() => expect(sent().map(({ route }) => route)).toEqual(['DELETE /api/client/suppressions/12015550101']));
    });

    it('may still get a reply if only marketing is opted out', async () => {
      open('/inbox?id=1', [listedConversation(1, { suppression_state: 'opted_out_marketing' })]);
      await screen.findByRole('textbox', { name: 'Reply' });
    });

    it('leaves a refused reply for editing, shows the reason once, and offers no retry that must fail', async () => {
      const refused = new Refusal(400, { error_code: 'RECIPIENT_SUPPRESSED', error: 'The recipient has opted out.' });
      let conversation = listedConversation(1);
      open('/inbox?id=1', three, {
        'GET /api/client/conversations/1/messages': () => ({ conversation, messages: [message('wamid.1')], next_cursor: null }),
        [REPLY]: () => {
          conversation = optedOut;
          return refused;
        },
      });
      await type('Reply', 'It is on its way');
      await press('Send');
      await screen.findByText('This customer opted out');
      expect(screen.getAllByText(/The recipient has opted out/)).toHaveLength(1);
      expect(screen.queryByText(/req-1/)).toBeNull();
      expect(screen.queryByRole('button', { name: /^Send again/ })).toBeNull();
      screen.getByRole('button', { name: /^Edit “/ });
      conversation = listedConversation(1);
      await act(() => queries.invalidateQueries({ queryKey: ['inbox'] }));
      await screen.findByRole('button', { name: /^Send again/ });
    });
  });

  it('read: is marked again if a message arrives before the refresh, and after a failure', async () => {
    const visible = jest.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible');
    let unread_count = 1;
    const responses: ((response: unknown) => void)[] = [];
    let loads = 0;
    open('/inbox?id=1', three, {
      'GET /api/client/conversations/1/messages': () => {
        loads++;
        return { conversation: { ...three[0], unread_count }, messages: [message('wamid.1')], next_cursor: null };
      },
      'PATCH /api/client/conversations/1': () => new Promise((resolve) => responses.push(resolve)),
    });
    const refresh = () => act(() => queries.invalidateQueries({ queryKey: ['inbox', 'thread'] }));
    await waitFor(() => expect(responses).toHaveLength(1));
    await refresh();
    await refresh();
    expect([loads, responses.length]).toEqual([3, 1]);
    responses[0]?.({ conversation: three[0] });
    await waitFor(() => expect(responses).toHaveLength(2));
    responses[1]?.(new Refusal(503, { error: 'A service is unavailable.' }));
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(responses).toHaveLength(2);
    await refresh();
    await waitFor(() => expect(responses).toHaveLength(3));
    expect(screen.queryByText('A service is unavailable.')).toBeNull();
    unread_count = 0;
    responses[2]?.({ conversation: three[0] });
    await refresh();
    await refresh();
    expect(sent().map(({ body }) => body)).toEqual(Array(3).fill({ read: true, nothing_received_since: AT }));
    visible.mockRestore();
  });

  describe('a note', () => {
    const NOTE = 'POST /api/client/conversations/1/notes';
    const field = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
    const enter = (shown: HTMLElement) => fireEvent.keyDown(shown, { key: 'Enter' });
    const write = (shown: HTMLElement, value: string) => fireEvent.change(shown, { target: { value } });
    let responses: ((response: unknown) => void)[];
    beforeEach(async () => {
      sessionStorage.clear();
      responses = [];
      open('/inbox?id=1', three, { [NOTE]: () => new Promise((resolve) => responses.push(resolve)) });
      await screen.findByText('Text of wamid.1');
      await press('Note');
    });
    afterEach(() => sessionStorage.clear());

    it('stays in view while it is added, and until the thread shows it, once', async () => {
      sessionStorage.clear();
      let isAdded = false;
      let [add, load] = [() => undefined as void, () => undefined as void];
      open('/inbox?id=1', three, {
        'POST /api/client/conversations/1/notes': async () => {
          await new Promise<void>((resolve) => (add = resolve));
          isAdded = true;
          return { id: 5, message: 'Added.' };
        },
        'GET /api/client/conversations/1/messages': async () => {
          const note = message('note:5', { direction: 'out', type: 'note', text: 'Wants blue', author: { id: 1, name: 'Asha' } });
          if (isAdded) await new Promise<void>((resolve) => (load = resolve));
          return { conversation: three[0], messages: [...(isAdded ? [note] : []), message('wamid.1')], next_cursor: null };
        },
      });
      await screen.findByText('Text of wamid.1');
      await press('Note');
      await type('Note', 'Wants blue');
      await press('Add');
      const notes = () => within(screen.getByRole('log')).queryAllByText('Wants blue');
      await waitFor(() => expect(notes()).toHaveLength(1));
      act(() => add());
      await screen.findByLabelText('Reply');
      expect(notes()).toHaveLength(1);
      act(() => load());
      await waitFor(() => expect(queries.isFetching()).toBe(0));
      expect(notes()).toHaveLength(1);
    });

    it('is added once by two presses of Enter, and what is typed meanwhile stays a note', async () => {
      const shown = await field();
      write(shown, 'Call him');
      enter(shown);
      enter(shown);
      await waitFor(() => expect(sent()).not.toEqual([]));
      expect(sent().map(({ body }) => body)).toEqual([{ text: 'Call him' }]);
      const hint = () => screen.queryByText(/^Your previous message is still being sent/);
      expect(hint()).toBeNull();
      write(await field(), 'and his wife');
      enter(await field());
      expect(hint()).not.toBeNull();
      responses[0]?.({ id: 1 });
      await waitFor(() => expect(screen.getByRole('button', { name: 'Add' }).dataset['loading']).toBeUndefined());
      expect(hint()).toBeNull();
      expect((await field()).value).toBe('and his wife');
      enter(await field());
      await waitFor(() => expect(responses).toHaveLength(2));
      responses[1]?.({ id: 2 });
      expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })).value).toBe('');
      expect(sent().map(({ body }) => body)).toEqual([{ text: 'Call him' }, { text: 'and his wife' }]);
    });

    it('returns to its field if it was not saved, before what was typed since', async () => {
      write(await field(), 'Call him');
      enter(await field());
      await waitFor(() => expect(responses).toHaveLength(1));
      write(await field(), 'and his wife');
      responses[0]?.(new Refusal(503, { error: 'A service is unavailable.' }));
      await screen.findByText('A service is unavailable.');
      expect((await field()).value).toBe('Call him\nand his wife');
    });

    it('decision 776: keeps its Idempotency-Key while its outcome is unclear, also after another conversation', async () => {
      const keys: (string | null)[] = [];
      cleanup();
      open('/inbox?id=1', three, {
        [NOTE]: (_, __, headers) => {
          keys.push(headers.get('Idempotency-Key'));
          return keys.length < 3 ? new Refusal(503, { error: `Refusal ${keys.length}` }) : { id: keys.length };
        },
      });
      await screen.findByText('Text of wamid.1');
      await press('Note');
      const add = async (text: string) => {
        const tries = keys.length;
        write(await field(), text);
        enter(await field());
        await waitFor(() => expect(keys).toHaveLength(tries + 1));
      };
      await add('Call him');
      await screen.findByText('Refusal 1');
      await press(/^Person 2/);
      await screen.findByText('Text of wamid.2');
      await press(/^Person 1/);
      await screen.findByText('Text of wamid.1');
      await add('Call him');
      await screen.findByText('Refusal 2');
      await add('Call him today');
      await screen.findByRole('textbox', { name: 'Reply' });
      await press('Note');
      await add('Call him');
      const [first, , changed, next] = keys;
      expect(keys).toEqual([expect.stringMatching(/^\S{16,}$/), first, changed, next]);
      expect(new Set(keys).size).toBe(3);
    });

    it.each(['is open', 'was open'])('is kept if it was not saved while another conversation %s', async (other) => {
      write(await field(), 'Call him');
      enter(await field());
      await waitFor(() => expect(responses).toHaveLength(1));
      const fail = async () => {
        responses[0]?.(new Refusal(503, { error: 'A service is unavailable.' }));
        await screen.findByText('A service is unavailable.');
      };
      await press(/^Person 2/);
      await screen.findByText('Text of wamid.2');
      if (other === 'is open') await fail();
      await press(/^Person 1/);
      await screen.findByText('Text of wamid.1');
      if (other === 'was open') await fail();
      expect((await field()).value).toBe('Call him');
      write(await field(), 'Call him today');
      expect(JSON.parse(sessionStorage.getItem('kept 1 drafts 1') ?? '')).toMatchObject({ note: 'Call him today' });
    });
  });

  it('keys: the buttons Note and Reply focus the field, so that no letter of a note closes the conversation', async () => {
    sessionStorage.clear();
    open('/inbox?id=1', three);
    await screen.findByLabelText('Reply');
    await press('Note');
    expect(document.activeElement).toBe(screen.getByLabelText('Note'));
    await press('Reply');
    expect(document.activeElement).toBe(screen.getByLabelText('Reply'));
  });

  describe('a half-written note', () => {
    const REPLY = 'POST /api/client/conversations/1/messages';
    const note = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' });
    const reply = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' });
    beforeEach(() => sessionStorage.clear());
    afterEach(() => sessionStorage.clear());

    it('stays a note when the agent quotes a message, and after the reply is sent', async () => {
      open('/inbox?id=1', three, { [REPLY]: () => ({ success: true }) });
      await screen.findByText('Text of wamid.1');
      await press('Note');
      await type('Note', 'He pays late');
      await press(/^Quote/);
      expect((await reply()).value).toBe('');
      await type('Reply', 'Yes, today');
      await press('Send');
      await waitFor(() => expect(sent()).toEqual([{ route: REPLY, body: { text: 'Yes, today', reply_to: 'wamid.1' } }]));
      await press('Note');
      expect((await note()).value).toBe('He pays late');
    });

    it('stays a note when the agent edits a reply that was not sent, which keeps its quotation', async () => {
      open('/inbox?id=1', three, { [REPLY]: () => new Refusal(503, { error: 'A service is unavailable.' }) });
      await screen.findByText('Text of wamid.1');
      await press(/^Quote/);
      await type('Reply', 'Yes, today');
      await press('Send');
      await screen.findByText(/^Not sent/);
      await press('Note');
      await type('Note', 'He pays late');
      await press(/^Edit “/);
      expect((await reply()).value).toBe('Yes, today');
      await press('Send');
      await waitFor(() => expect(sent().map(({ body }) => body)).toEqual(Array(2).fill({ text: 'Yes, today', reply_to: 'wamid.1' })));
      await press('Note');
      expect((await note()).value).toBe('He pays late');
    });
  });

  describe('a list that cannot be loaded', () => {
    it.each([
      ['Quick replies', 'GET /api/client/quick-replies', /^Texts that your team/, 'Quick replies'],
      ['Manage labels', 'GET /api/client/labels', /^Labels sort/, 'Labels'],
      ['New conversation', 'GET /api/client/templates', /^No template is approved yet/, 'New conversation'],
    ])('%s: shows the error, and loads it again', async (button, route, empty, name) => {
      let fails = true;
      const lists = { quick_replies: [], labels: [], templates: [] };
      open('/inbox?id=1', three, { [route]: () => (fails ? new Refusal(400, { error: 'Not now.' }) : lists) });
      await screen.findByText('Text of wamid.1');
      await press(button);
      const dialog = await screen.findByRole('dialog', { name });
      await within(dialog).findByText('Not now.');
      expect(within(dialog).queryByText(empty)).toBeNull();
      expect(within(dialog).queryByRole('combobox', { name: 'Template' })).toBeNull();
      fails = false;
      await press('Try again', 'button', dialog);
      await within(dialog).findByText(empty);
      expect(within(dialog).queryByText('Not now.')).toBeNull();
    });

    it.each([
      ['manager', '/templates?edit=new'],
      ['agent', undefined],
    ])('without an approved template, a %s gets the link to write one: %s', async (role, address) => {
      const business = { id: 1, name: 'Kaveri', plan: 'Growth' };
      open('/inbox', three, { 'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role }, business }) });
      await screen.findByRole('button', { name: /^Person 1/ });
      await press('New conversation');
      const dialog = await screen.findByRole('dialog', { name: 'New conversation' });
      await within(dialog).findByText(/^No template is approved yet/);
      expect(within(dialog).queryByRole('link', { name: 'Write one' })?.getAttribute('href') ?? undefined).toBe(address);
    });
  });

  it('keys: a step starts from the previous one, even when the page has not drawn it yet', async () => {
    const search = open('/inbox?id=1', three);
    await screen.findByText('Text of wamid.1');
    act(() => {
      fireEvent.keyDown(document.body, { key: 'j' });
      fireEvent.keyDown(document.body, { key: 'j' });
    });
    await screen.findByText('Text of wamid.3');
    act(() => {
      fireEvent.keyDown(document.body, { key: 'k' });
      fireEvent.keyDown(document.body, { key: 'j' });
      fireEvent.keyDown(document.body, { key: 'k' });
    });
    await screen.findByText('Text of wamid.2');
    expect(search()['id']).toBe('2');
    const conversation = screen.getByRole('region', { name: 'Conversation with Person 2' });
    expect(document.activeElement).toBe(conversation);
    expect(within(conversation).getByText('Open, unassigned').getAttribute('role')).toBe('status');
  });

  it('search: says how many conversations it found, and Escape leaves its field to the shortcuts', async () => {
    open('/inbox', three);
    const field = await screen.findByLabelText('Search');
    act(() => field.focus());
    fireEvent.change(field, { target: { value: 'Person' } });
    expect((await screen.findByText('3 conversations found')).getAttribute('role')).toBe('status');
    fireEvent.keyDown(field, { key: 'Escape' });
    expect(document.activeElement).toBe(document.body);
  });

  it.each([
    ['last', [1, 3, 4, 2], [2], 'j', 3],
    ['gone', [1, 3, 4], [], 'j', 3],
    ['below a new first one', [5, 2, 1, 3, 4], [2], 'k', 1],
    ['above one that moved down', [1, 2, 4, 3], [3], 'j', 4],
    ['last with the one below it', [1, 4, 2, 3], [2, 3], 'j', 4],
    ['below one that moved up', [3, 1, 2, 4], [3], 'k', 1],
    ['last, while the one below it moved up', [3, 1, 4, 2], [2, 3], 'k', 1],
    ['last, while the first one is a new one', [5, 3, 4, 1, 2], [1, 2], 'k', 5],
  ] as const)('keys: a step from a row that is now %s goes on from its place when it was opened', async (_, after, moved, key, to) => {
    let listed = [1, 2, 3, 4].map((id) => listedConversation(id));
    const search = open('/inbox', three, {
      'GET /api/client/conversations': () => ({ conversations: listed, counts, waiting_since: null, next_cursor: null }),
    });
    fireEvent.click(await screen.findByRole('button', { name: /^Person 2/ }));
    await screen.findByText('Text of wamid.2');
    const rows = () => screen.getAllByRole('button', { name: /^Person \d/ }).map(({ textContent }) => Number(/\d/.exec(textContent)?.[0]));
    listed = after.map((id) => listedConversation(id, (moved as readonly number[]).includes(id) ? { waiting_since: AT } : {}));
    await act(() => queries.invalidateQueries({ queryKey: ['inbox', 'list'] }));
    await waitFor(() => expect(rows()).toEqual(after));
    fireEvent.keyDown(document.body, { key });
    await waitFor(() => expect(search()['id']).toBe(String(to)));
  });

  it('keys: Ctrl K opens the palette even from a field (decision 183)', async () => {
    open('/inbox?id=1', three);
    const field = await screen.findByLabelText('Reply');
    act(() => field.focus());
    fireEvent.keyDown(field, { key: '?' });
    fireEvent.keyDown(field, { key: 'k', ctrlKey: true });
    const palette = await screen.findByRole('dialog', { name: /^Find a customer/ });
    expect(screen.queryByRole('dialog', { name: 'Keyboard shortcuts' })).toBeNull();
    fireEvent.keyDown(palette, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('decision 778: keys without Ctrl can be switched off, and Ctrl K still works', async () => {
    open('/inbox?id=1', three);
    await screen.findByText('Text of wamid.1');
    fireEvent.keyDown(document.body, { key: '?' });
    const list = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    await press('Switch off keys without Ctrl');
    await screen.findByRole('button', { name: 'Switch on keys without Ctrl' });
    fireEvent.keyDown(list, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const before = document.activeElement;
    for (const key of ['r', '?', 'g', 't']) fireEvent.keyDown(document.body, { key });
    expect(document.activeElement).toBe(before);
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    await screen.findByRole('dialog', { name: /^Find a customer/ });
    expect(screen.queryByRole('dialog', { name: 'Keyboard shortcuts' })).toBeNull();
    localStorage.clear();
  });

  it('labels: a second one keeps the first, whose write still runs', async () => {
    const responses: ((response: object) => void)[] = [];
    const [first] = three;
    open('/inbox?id=1', three, {
      'PATCH /api/client/conversations/1': () => new Promise((resolve) => responses.push(resolve)),
    });
    const field = await screen.findByPlaceholderText('Add a label');
    act(() => field.focus());
    for (const name of ['VIP', 'Order 7']) {
      fireEvent.change(field, { target: { value: name } });
      fireEvent.keyDown(field, { key: 'Enter' });
    }
    await waitFor(() => expect(responses).toHaveLength(1));
    act(() => responses[0]?.({ conversation: first }));
    await waitFor(() => expect(responses).toHaveLength(2));
    expect(sent().map(({ body }) => body)).toEqual([
      { labels: ['VIP'], labels_before: [] },
      { labels: ['VIP', 'Order 7'], labels_before: ['VIP'] },
    ]);
    act(() => responses[1]?.({ conversation: first }));
    // The server's list is shown when nothing is being written.
    await waitFor(() => expect(screen.queryByText('Order 7')).toBeNull());
  });

  it('labels: a half-typed one is added when the focus goes elsewhere in the pane', async () => {
    open('/inbox?id=1', three, { 'PATCH /api/client/conversations/1': () => ({ conversation: three[0] }) });
    const field = await screen.findByPlaceholderText('Add a label');
    act(() => field.focus());
    fireEvent.change(field, { target: { value: ' VIP ' } });
    act(() => field.blur());
    await waitFor(() => expect(sent().map(({ body }) => body)).toEqual([{ labels: ['VIP'], labels_before: [] }]));
  });

  it('search: opens the message that it found, even an older one', async () => {
    const scroll = jest.spyOn(Element.prototype, 'scrollIntoView');
    const found = { message_id: 'wamid.old', direction: 'in' as const, text: 'It is late', at: AT };
    const listed = [listedConversation(1, { found })];
    const page = (messages: ThreadMessage[], next_cursor: string | null) => ({ conversation: listed[0], messages, next_cursor });
    const search = open('/inbox?q=late', listed, {
      'GET /api/client/conversations/1/messages': (_, url) =>
        url.searchParams.has('cursor') ? page([message('wamid.old')], null) : page([message('wamid.1')], 'older'),
    });
    fireEvent.click(await screen.findByRole('button', { name: /^Person 1/ }));
    const text = await screen.findByText('Text of wamid.old');
    expect(search()).toEqual({ q: 'late', id: '1', message: 'wamid.old' });
    const marked = screen.getByRole('log').querySelectorAll('[aria-current]');
    expect([marked.length, marked[0]?.contains(text)]).toEqual([1, true]);
    await waitFor(() => expect(scroll.mock.contexts).toContain(marked[0]));
  });

  describe('list', () => {
    const list = (asked: URLSearchParams[]) => ({
      'GET /api/client/conversations': (_: unknown, { searchParams }: URL) => {
        if (searchParams.get('limit') === '100') asked.push(searchParams);
        return { conversations: three, counts, waiting_since: null, next_cursor: 'older' };
      },
    });
    const labels = { 'GET /api/client/labels': () => ({ labels: [{ id: 7, name: 'VIP', color: 'red' }] }) };

    it('filters by unread and label, which stay in the address, and keeps refreshing a short page', async () => {
      const asked: URLSearchParams[] = [];
      const search = open('/inbox?view=mine&unread=1&label=VIP', three, { ...list(asked), ...labels });
      await screen.findByRole('button', { name: /^Person 1/ });
      expect(asked.map(String)).toEqual(['view=mine&label=VIP&unread=1&limit=100']);
      expect(screen.getByRole('button', { name: 'Unread only' }).getAttribute('aria-pressed')).toBe('true');
      expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter by label' }).value).toBe('VIP');
      await press('Unread only');
      const choose = async (name: string) => {
        fireEvent.click(screen.getByRole('combobox', { name: 'Filter by label' }));
        await screen.findByRole('option', { name });
        await press(name, 'option');
      };
      await choose('Any label');
      await waitFor(() => expect(search()).toEqual({ view: 'mine' }));
      await press('Unread only');
      await choose('VIP');
      await waitFor(() => expect(search()).toEqual({ view: 'mine', unread: '1', label: 'VIP' }));
    });

    it('says that the label of the filter no longer exists', async () => {
      open('/inbox?label=VIP', [], { 'GET /api/client/labels': () => ({ labels: [] }) });
      await screen.findByText('The label “VIP” no longer exists. Choose another one.');
    });

    it('counts all conversations, the open and the closed ones, and shows their order', async () => {
      open('/inbox', three);
      await screen.findByRole('button', { name: 'All 4' });
      screen.getByText('Waiting customers first, by their latest message');
      await press(/^Closed/);
      screen.getByText('By the customer’s latest message');
    });

    it('creates, renames, colors and deletes labels, and follows the one that it filters by', async () => {
      const search = open('/inbox?label=VIP', three, {
        ...labels,
        'POST /api/client/labels': () => ({ id: 8, message: 'Created.' }),
        'PUT /api/client/labels/7': () => ({ message: 'Saved.' }),
        'DELETE /api/client/labels/7': () => ({ message: 'Deleted.' }),
      });
      await screen.findByRole('button', { name: /^Person 1/ });
      await press('Manage labels');
      const dialog = await screen.findByRole('dialog', { name: 'Labels' });
      const choose = async (color: string) => {
        fireEvent.click(within(dialog).getByRole('combobox', { name: /^Color/ }));
        fireEvent.click(await screen.findByRole('option', { name: color }));
      };
      await type(/^Name/, 'Refund');
      await choose('teal');
      await press('Add', 'button', dialog);
      await waitFor(() => expect(sent()).toHaveLength(1));
      await screen.findByRole('button', { name: 'Edit VIP' });
      await press('Edit VIP');
      await type(/^Name/, 'Gold');
      await press('Save', 'button', dialog);
      await waitFor(() => expect(search()['label']).toBe('Gold'));
      await press('Delete VIP');
      await press('Delete', 'button', await screen.findByRole('dialog', { name: 'Delete the label VIP?' }));
      await waitFor(() =>
        expect(sent()).toEqual([
          { route: 'POST /api/client/labels', body: { name: 'Refund', color: 'teal' } },
          { route: 'PUT /api/client/labels/7', body: { name: 'Gold', color: 'red' } },
          { route: 'DELETE /api/client/labels/7', body: undefined },
        ]),
      );
    });

    it.each([
      ['opens it', 'present', { id: '2' }],
      ['opens no other one in place of what the agent opened meanwhile (decision 753)', 'moved on', { id: '3' }],
      ['opens nothing, but confirms that it was sent, if the agent closed the dialog meanwhile (decision 753)', 'left', {}],
      ['opens nothing, but shows why it was not sent, if the agent closed the dialog meanwhile (decision 753)', 'left too early', {}],
    ])('begins a conversation with a template, and %s', async (_, agent, shown) => {
      let found: ((list: object) => void) | undefined;
      let respond: ((response: object) => void) | undefined;
      const response = { success: true, phone: '12015550102' };
      const list = { conversations: three, counts, waiting_since: null, next_cursor: null };
      const search = open('/inbox', three, {
        'GET /api/client/conversations': (_, url) =>
          url.searchParams.has('q') && agent === 'moved on' ? new Promise((resolve) => (found = resolve)) : list,
        'GET /api/client/templates': () => ({ templates: [template] }),
        'POST /api/client/messages': () => (agent.startsWith('left') ? new Promise((resolve) => (respond = resolve)) : response),
      });
      await screen.findByRole('button', { name: /^Person 1/ });
      await press('New conversation');
      const dialog = await screen.findByRole('dialog', { name: 'New conversation' });
      fireEvent.click(within(dialog).getByRole('combobox', { name: /^Template/ }));
      fireEvent.click(await screen.findByRole('option', { name: 'hello (en)' }));
      await type(/^Phone/, '+1 201 555 0102');
      await type(/^\{\{1\}\}/, 'Asha');
      await press('Send', 'button', dialog);
      if (agent.startsWith('left')) {
        await waitFor(() => expect(respond).toBeDefined());
        fireEvent.keyDown(document.body, { key: 'Escape', code: 'Escape' });
        const question = await screen.findByRole('dialog', { name: 'Discard what you entered?' });
        within(question).getByText('Anything not saved or sent is lost.');
        await press('Discard', 'button', question);
        respond?.(agent === 'left' ? response : new Refusal(400, { error: 'The template is paused.' }));
        await screen.findByText(agent === 'left' ? 'Sent.' : 'The template is paused.');
        await act(() => new Promise((resolve) => setTimeout(resolve)));
      }
      if (agent === 'moved on') {
        await waitFor(() => expect(found).toBeDefined());
        await press(/^Person 3/);
        await act(async () => {
          found?.(list);
          await new Promise((resolve) => setTimeout(resolve));
        });
      }
      await waitFor(() => expect(search()).toEqual(shown));
      expect(sent().map(({ route, body }) => [route, body])).toEqual([
        ['POST /api/client/messages', expect.objectContaining({ phone: '+1 201 555 0102', template_name: 'hello', body_params: ['Asha'] })],
      ]);
    });

    it('decision 748: names the number that gets the message, and shows when the conversation joins the list', async () => {
      open('/inbox', three, {
        'GET /api/client/templates': () => ({ templates: [template] }),
        'POST /api/client/messages': () => ({ success: true, phone: '2015550101' }),
      });
      await screen.findByRole('button', { name: /^Person 1/ });
      await press('New conversation');
      const dialog = await screen.findByRole('dialog', { name: 'New conversation' });
      fireEvent.click(within(dialog).getByRole('combobox', { name: /^Template/ }));
      fireEvent.click(await screen.findByRole('option', { name: 'hello (en)' }));
      await screen.findByText('With + and the country code');
      await type(/^Phone/, '2015550101');
      await screen.findByText('Goes to +20 15 550101 (Egypt)');
      await type(/^\{\{1\}\}/, 'Asha');
      await press('Send', 'button', dialog);
      await screen.findByText(/^Sent\. The conversation appears in the list when the customer replies\./);
    });

    it('decision 710: a template whose outcome is unclear keeps its Idempotency-Key, and a changed one has its own', async () => {
      const keys: (string | null)[] = [];
      open('/inbox', three, {
        'GET /api/client/templates': () => ({ templates: [template] }),
        'POST /api/client/messages': (_, __, headers) => {
          keys.push(headers.get('Idempotency-Key'));
          return new Refusal(500, { error: 'The outcome is unknown.' });
        },
      });
      await screen.findByRole('button', { name: /^Person 1/ });
      await press('New conversation');
      const dialog = await screen.findByRole('dialog', { name: 'New conversation' });
      fireEvent.click(within(dialog).getByRole('combobox', { name: /^Template/ }));
      fireEvent.click(await screen.findByRole('option', { name: 'hello (en)' }));
      const send = async (phone: string, name: string) => {
        const tries = keys.length;
        await type(/^Phone/, phone);
        await type(/^\{\{1\}\}/, name);
        await press('Send', 'button', dialog);
        await waitFor(() => expect(keys).toHaveLength(tries + 1));
        await within(dialog).findByText('The outcome is unknown.');
      };
      await send('+1 201 555 0102', 'Asha');
      await send('+1 201 555 0102', 'Asha');
      await send('+1 201 555 0102', 'Asha B');
      await send('+1 201 555 0103', 'Asha B');
      const [first, , other, third] = keys;
      expect(keys).toEqual([expect.stringMatching(/^\S{16,}$/), first, other, third]);
      expect(new Set(keys).size).toBe(3);
    });
  });

  it('contact: lists the newest templates of the customer, including those before the loaded messages', async () => {
    const sent = (message_id: string, to: string, template: string, day: string) => ({
      message_id,
      to,
      template,
      sent_at: `2026-11-${day}T09:00:00.000Z`,
      delivery_status: 'read',
    });
    const [one] = three;
    const shown = { direction: 'out' as const, type: 'template', template: 'welcome', delivery_status: 'sent' as const };
    open('/inbox?id=1', three, {
      'GET /api/client/conversations/1/messages': () => ({ conversation: one, messages: [message('wamid.a', shown)], next_cursor: null }),
      'GET /api/client/messages': (_, { searchParams }) => {
        expect([searchParams.get('phone'), searchParams.get('type')]).toEqual(['12015550101', 'template']);
        return {
          messages: [
            sent('wamid.a', '12015550101', 'welcome', '23'),
            sent('wamid.b', '12015550101', 'order_update', '20'),
            sent('wamid.c', '9912015550101', 'foreign', '19'),
          ],
        };
      },
    });
    const pane = await screen.findByRole('complementary', { name: 'Customer' });
    await within(pane).findByText('order_update');
    expect(
      within(pane)
        .getAllByText(/^(welcome|order_update|foreign)$/)
        .map(({ textContent }) => textContent),
    ).toEqual(['welcome', 'order_update']);
  });

  describe('dialogs confirm before they discard input (decision 630)', () => {
    const choose = async (dialog: HTMLElement) => {
      fireEvent.click(within(dialog).getByRole('combobox', { name: /^Template/ }));
      fireEvent.click(await screen.findByRole('option', { name: 'hello (en)' }));
    };
    const enter = (dialog: HTMLElement, field: HTMLElement, value: string) => {
      expect(dialog.contains(field)).toBe(true);
      act(() => field.focus());
      fireEvent.change(field, { target: { value } });
    };
    const escape = () => fireEvent.keyDown(document.body, { key: 'Escape', code: 'Escape' });
    const asked = () => screen.findByRole('dialog', { name: 'Discard what you entered?' });
    const dialogs: [name: string, button: string, fill: (dialog: HTMLElement) => void | Promise<void>][] = [
      ['Quick replies', 'Quick replies', (dialog) => enter(dialog, within(dialog).getByLabelText(/^Text/), 'From 9')],
      ['Labels', 'Manage labels', (dialog) => enter(dialog, within(dialog).getByLabelText(/^Name/), 'Refund')],
      ['Customer', 'Details', (dialog) => enter(dialog, within(dialog).getByPlaceholderText('Add a label'), 'VI')],
      [
        'Send a template',
        'Template',
        async (dialog) => {
          await choose(dialog);
          enter(dialog, await within(dialog).findByLabelText(/^\{\{1\}\}/), 'Asha');
        },
      ],
      [
        'New conversation',
        'New conversation',
        async (dialog) => {
          await choose(dialog);
          enter(dialog, await within(dialog).findByLabelText(/^Phone/), '+1 201');
        },
      ],
    ];

    it.each(dialogs)('%s', async (name, button, fill) => {
      const session_window = { open: button !== 'Template', last_inbound_at: AT, closes_at: null };
      const routes = { 'GET /api/client/templates': () => ({ templates: [template] }) };
      open('/inbox?id=1', [listedConversation(1, { session_window })], routes);
      await screen.findByText('Text of wamid.1');
      const show = async () => {
        await press(button);
        return screen.findByRole('dialog', { name });
      };
      const isGone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      await show();
      escape();
      await isGone();
      await fill(await show());
      escape();
      await press('Go back', 'button', await asked());
      await screen.findByRole('dialog', { name });
      escape();
      await press('Discard', 'button', await asked());
      await isGone();
      await show();
      escape();
      await isGone();
      expect(sent()).toEqual([]);
    });

    it('is confirmed before another quick reply is edited, and not after one was saved', async () => {
      const quick_replies = [{ id: 7, shortcut: 'hours', text: 'From 9 to 18.' }];
      const responses: ((response: object) => void)[] = [];
      open('/inbox?id=1', three, {
        'GET /api/client/quick-replies': () => ({ quick_replies }),
        'PUT /api/client/quick-replies/7': () => new Promise((resolve) => responses.push(resolve)),
      });
      const respond = async (nth: number) => {
        await waitFor(() => expect(responses).toHaveLength(nth));
        responses[nth - 1]?.({ message: 'Saved.' });
        await waitFor(() => expect(queries.isMutating()).toBe(0));
      };
      await screen.findByText('Text of wamid.1');
      await press('Quick replies');
      const dialog = await screen.findByRole('dialog', { name: 'Quick replies' });
      const shortcut = () => within(dialog).getByLabelText<HTMLInputElement>(/^Shortcut/).value;
      await within(dialog).findByText('/hours');
      await type(/^Shortcut/, 'ho');
      await press('Edit hours', 'button', dialog);
      await press('Go back', 'button', await asked());
      expect(shortcut()).toBe('ho');
      await press('Edit hours', 'button', dialog);
      await press('Discard', 'button', await asked());
      expect(shortcut()).toBe('hours');
      await type(/^Text/, 'From 10 to 18.');
      await press('Save', 'button', dialog);
      // The response of a save does not end what the person began since (decision 753).
      await press('Edit hours', 'button', dialog);
      await press('Discard', 'button', await asked());
      await respond(1);
      expect(shortcut()).toBe('hours');
      await press('Save', 'button', dialog);
      await respond(2);
      await waitFor(() => expect(shortcut()).toBe(''));
      escape();
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    });
  });

  it('decision 665: contact lists the newest notes, including those before the loaded messages', async () => {
    const [conversation] = three;
    const note = (nth: number, name: string) => ({ message_id: `note:${nth}`, text: `Note ${nth}`, at: AT, author: { id: nth, name } });
    open('/inbox?id=1', three, {
      'GET /api/client/conversations/1/messages': (_, url) =>
        url.searchParams.has('cursor')
          ? { conversation, messages: [message('wamid.old')], next_cursor: null }
          : { conversation, messages: [message('wamid.1')], newest_notes: [note(2, 'Asha'), note(1, '')], next_cursor: 'older' },
    });
    const pane = await screen.findByRole('complementary', { name: 'Customer' });
    await within(pane).findByText('Note 2');
    within(pane).getByText(/^Asha · /);
    within(pane).getByText(/^Former colleague · /);
    await press('Older messages');
    await screen.findByText('Text of wamid.old');
    within(pane).getByText('Note 2');
  });

  it.each(['loads', 'cannot be loaded'])('back: is there while a thread %s', async (state) => {
    const thread = () => (state === 'loads' ? new Promise(() => undefined) : new Refusal(404, { error: 'No resource has this id.' }));
    const search = open('/inbox?id=1', three, { 'GET /api/client/conversations/1/messages': thread });
    await screen.findByRole('button', { name: /^Person 1/ });
    const back = await screen.findByRole('button', { name: 'Back' });
    if (state !== 'loads') await screen.findByText('No resource has this id.');
    fireEvent.click(back);
    await waitFor(() => expect(search()['id']).toBeUndefined());
  });

  it('list: keeps refreshing while a thread is open', async () => {
    let isAnswered = false;
    const [waits, answered] = [listedConversation(1, { customer_name: 'Waits' }), listedConversation(2, { customer_name: 'Answered' })];
    open('/inbox?id=2', three, {
      'GET /api/client/conversations': () => ({
        conversations: isAnswered ? [waits, answered] : [answered, waits],
        counts,
        waiting_since: null,
        next_cursor: null,
      }),
    });
    const order = () => screen.getAllByRole('button', { name: /^(Waits|Answered)/ }).map(({ textContent }) => /Waits/.test(textContent));
    await screen.findByText('Text of wamid.2');
    expect(order()).toEqual([false, true]);
    isAnswered = true;
    await waitFor(() => expect(order()).toEqual([true, false]), { timeout: 20_000 });
  });
});
