/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { queries } from '../../api/client';
import { press, Refusal, sent, type } from '../../page.fixture';
import type { ListedConversation } from './conversation';
import { listedConversation } from './conversation.fixture';
import type { ThreadMessage } from './thread-message';

/** The time of the customer's n-th message after the first. */
const timeOf = (n: number) => `2026-11-23T09:00:0${n}.000Z`;
const LATER = timeOf(1);
const PATCH = 'PATCH /api/client/conversations/1';

/**
 * Opens a conversation.
 * @param refuses whether the gateway refuses to close it, because of a message that the next refresh shows
 * @param more of the address, and lines of the business
 * @returns a function that lets the customer write
 */
async function open(
  conversation: ListedConversation,
  refuses: () => boolean,
  { found, ours = [], more = {} }: { found?: string; ours?: Partial<ThreadMessage>[]; more?: Parameters<typeof openPage>[1] } = {},
) {
  let texts = ['Hello'];
  let isRead = false;
  const shown = () => ({
    ...conversation,
    ...(texts.length > 1 && { last_received_at: timeOf(texts.length - 1) }),
    ...(isRead && { unread_count: 0 }),
  });
  openPage(`/inbox?id=1${found ? `&message=${found}` : ''}`, {
    'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role: 'agent' }, business: { id: 1, name: 'Kaveri', plan: 'Growth' } }),
    'GET /api/client/conversations': () => ({
      ...{ conversations: [shown()], waiting_since: null, next_cursor: null },
      counts: { mine: 0, unassigned: 1, open: 1, closed: 0, unread: 0, waiting: 0 },
    }),
    'GET /api/client/team': () => ({ users: [] }),
    'GET /api/client/labels': () => ({ labels: [] }),
    'GET /api/client/quick-replies': () => ({ quick_replies: [] }),
    'GET /api/client/conversations/1/messages': () => ({
      conversation: shown(),
      messages: [...ours, ...texts.map((text, i) => ({ message_id: `wamid.${texts.length - i}`, direction: 'in', text }))].map((one) => ({
        ...{ type: 'text', media: null, sent_by: null, template: null, at: LATER },
        ...{ author: null, api_key: null, delivery_status: null, failure_reason: null },
        ...one,
      })),
      next_cursor: null,
    }),
    [PATCH]: (body) => {
      isRead ||= 'read' in (body as object);
      if (!refuses()) return { conversation: shown() };
      texts = ['One more question', ...texts];
      return new Refusal(409, { error: 'The customer wrote meanwhile.' });
    },
    ...more,
  });
  await screen.findByText('Hello');
  return async (text: string) => {
    texts = [text, ...texts];
    await refresh();
    await screen.findByText(text);
  };
}
const refresh = () => act(() => queries.invalidateQueries({ queryKey: ['inbox', 'thread'] }));
const pressClose = () => press('Close', 'button', screen.getByRole('region', { name: /^Conversation with/ }));
const closing = (nothing_received_since: string | null | undefined) => ({
  route: PATCH,
  body: { status: 'closed', nothing_received_since },
});

describe('a conversation of the inbox', () => {
  it('closes without a condition if a service of the previous version responded', async () => {
    const conversation = listedConversation(1);
    delete conversation.last_received_at;
    await open(conversation, () => false);
    await pressClose();
    expect(sent()).toEqual([{ route: PATCH, body: { status: 'closed' } }]);
  });

  it.each<[string, () => unknown]>([
    ['the button', pressClose],
    ['the key e', () => fireEvent.keyDown(document.body, { key: 'e' })],
  ])('decision 714: %s closes what the page shows, and a message that came meanwhile appears instead', async (_, close) => {
    const conversation = listedConversation(1);
    await open(conversation, () => sent().length === 1);
    await close();
    await screen.findByText('The customer wrote meanwhile.');
    await screen.findByText('One more question');
    await close();
    await waitFor(() => expect(sent()).toEqual([closing(conversation.last_received_at), closing(LATER)]));
  });

  it.each([
    ['', []],
    [' and above a reply that was not sent', [{ key: 'k', firstSentAt: Date.now(), text: 'It was not sent', problem: 'No response.' }]],
  ])('neither marks as read nor closes a message below the view%s, which a button shows', async (_, unsent) => {
    sessionStorage.setItem('kept 1 unsent 1', JSON.stringify(unsent));
    const conversation = listedConversation(1);
    const ours: Partial<ThreadMessage>[] = [];
    const write = await open(conversation, () => false, { ours });
    const log = screen.getByRole('log', { name: 'Messages' });
    const height = jest.spyOn(log, 'scrollHeight', 'get').mockReturnValue(1_000);
    jest.spyOn(log, 'clientHeight', 'get').mockReturnValue(400);
    await write('Anybody there?');
    const isBehind = () => screen.queryByRole('button', { name: 'New messages' }) !== null;
    expect([log.scrollTop, isBehind()]).toEqual([1_000, false]);
    log.scrollTop = 0;
    fireEvent.scroll(log);
    height.mockReturnValue(1_100);
    ours.unshift({ message_id: 'wamid.o', direction: 'out', text: 'Right away' });
    ours.unshift({ message_id: 'wamid.r', direction: 'out', type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } });
    await refresh();
    await screen.findByText('Right away');
    expect([log.scrollTop, isBehind()]).toEqual([0, false]);
    height.mockReturnValue(1_200);
    conversation.unread_count = 1;
    await write('It burns');
    expect([log.scrollTop, sent()]).toEqual([0, []]);
    await pressClose();
    await waitFor(() => expect(sent()).toEqual([closing(LATER)]));
    await press('New messages');
    expect([log.scrollTop, document.activeElement, isBehind()]).toEqual([1_200, log, false]);
    await waitFor(() => expect(sent()).toHaveLength(2));
    expect(sent()[1]).toEqual({ route: PATCH, body: { read: true, nothing_received_since: timeOf(2) } });
    sessionStorage.clear();
  });

  it('scrolls to a note and a template of the person’s own, also from further up', async () => {
    const ours: Partial<ThreadMessage>[] = [];
    const components = [{ type: 'BODY', text: 'Your parcel is here.' }];
    const template = {
      id: 1,
      name: 'arrived',
      language: 'en',
      status: 'APPROVED',
      category: 'UTILITY',
      content: 'Your parcel is here.',
      components,
      variables: [],
    };
    const write = await open(listedConversation(1), () => false, {
      ours,
      more: {
        'POST /api/client/conversations/1/notes': (body) => {
          ours.unshift({ message_id: 'note:7', direction: 'out', type: 'note', author: { id: 1, name: 'Asha' }, ...(body as object) });
          return { id: 7, message: 'Note added.' };
        },
        'GET /api/client/templates': () => ({ templates: [template] }),
        'POST /api/client/conversations/1/templates': () => {
          ours.unshift({ message_id: 'wamid.t', direction: 'out', type: 'template', text: 'Your parcel is on its way.' });
          return { success: true, message_id: 'wamid.t' };
        },
      },
    });
    const log = screen.getByRole('log', { name: 'Messages' });
    const height = jest.spyOn(log, 'scrollHeight', 'get').mockReturnValue(1_000);
    jest.spyOn(log, 'clientHeight', 'get').mockReturnValue(400);
    await write('Anybody there?');
    const scrollUp = () => {
      log.scrollTop = 0;
      fireEvent.scroll(log);
    };
    scrollUp();
    height.mockReturnValue(1_100);
    await press('Note');
    await type('Note', 'Wants it before Friday');
    await press('Add');
    await screen.findByText(/Wants it before Friday/);
    await waitFor(() => expect(log.scrollTop).toBe(1_100));
    scrollUp();
    await refresh();
    expect(log.scrollTop).toBe(0);
    height.mockReturnValue(1_200);
    await press('Reply');
    await press('Template');
    const dialog = await screen.findByRole('dialog', { name: 'Send a template' });
    fireEvent.click(await within(dialog).findByRole('combobox', { name: 'Template' }));
    fireEvent.click(await screen.findByRole('option', { name: 'arrived (en)' }));
    await within(dialog).findByRole('button', { name: 'Send' });
    await press('Send', 'button', dialog);
    await screen.findByText('Your parcel is on its way.');
    await waitFor(() => expect(log.scrollTop).toBe(1_200));
  });

  describe('at a message that a search found, far above the newest', () => {
    beforeEach(() => {
      jest.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(1_000);
      jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
      jest.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => {
        screen.getByRole('log').scrollTop = 0;
      });
    });
    afterEach(() => jest.restoreAllMocks());

    it('neither marks as read nor closes what is below', async () => {
      const conversation = listedConversation(1, { unread_count: 1, created_at: '2026-11-20T09:00:00.000Z' });
      await open(conversation, () => false, { found: 'wamid.1' });
      await screen.findByRole('button', { name: 'New messages' });
      expect(sent()).toEqual([]);
      await pressClose();
      await waitFor(() => expect(sent()).toEqual([closing(conversation.created_at)]));
      await press('New messages');
      const read = { read: true, nothing_received_since: conversation.last_received_at };
      await waitFor(() => expect(sent()[1]).toEqual({ route: PATCH, body: read }));
    });

    it('counts everything as seen if the team has read the conversation', async () => {
      const conversation = listedConversation(1, { unread_count: 0 });
      await open(conversation, () => false, { found: 'wamid.1' });
      expect(screen.queryByRole('button', { name: 'New messages' })).toBeNull();
      await pressClose();
      await waitFor(() => expect(sent()).toEqual([closing(conversation.last_received_at)]));
    });
  });

  it('decision 714: closes a conversation in which nobody wrote, and marks as read, as the page shows them', async () => {
    const conversation = listedConversation(1, { last_received_at: null, unread_count: 1 });
    await open(conversation, () => false);
    const since = { nothing_received_since: conversation.created_at };
    await waitFor(() => expect(sent()).toEqual([{ route: PATCH, body: { read: true, ...since } }]));
    await pressClose();
    await waitFor(() => expect(sent().at(-1)).toEqual(closing(conversation.created_at)));
  });
});
