/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { cleanup, screen } from '@testing-library/react';
import { draw } from '../../page.fixture';
import { RecentReplies } from './recent-replies';

it('recent replies: an empty list offers to turn on only what is off, and a failure is shown in words', async () => {
  const routes = (replies: object[]) => ({ 'GET /api/client/auto-reply/replies': () => ({ replies, next_cursor: null }) });
  draw(<RecentReplies isOn />, routes([]));
  await screen.findByText('Replies appear here when a customer writes.');
  cleanup();
  draw(<RecentReplies isOn={false} />, routes([]));
  await screen.findByText('Turn it on and write as a customer.');
  cleanup();
  const reason = 'PLATFORM_REFUSED: Test numbers may only write to listed recipients: (#131030) Recipient not in the list';
  draw(<RecentReplies isOn />, routes([{ id: 1, question: 'Hi', reply: null, reason, state: 'failed', at: '2026-01-05T09:00:00.000Z' }]));
  await screen.findByText('Test numbers may only write to listed recipients: Recipient not in the list');
});

it('recent replies: a long word of a customer breaks, and each text has its own direction', async () => {
  const reply = { id: 1, question: 'مرحبا', reply: 'w'.repeat(300), reason: null, state: 'replied', at: '2026-01-05T09:00:00.000Z' };
  const refused = { ...reply, id: 2, question: 'v'.repeat(300), reply: null, reason: 'The model did not respond.', state: 'skipped' };
  draw(<RecentReplies isOn />, { 'GET /api/client/auto-reply/replies': () => ({ replies: [reply, refused], next_cursor: null }) });
  for (const text of [reply.question, reply.reply, refused.question, refused.reason]) {
    const shown = await screen.findByText(text);
    expect([shown.dir, shown.style.overflowWrap]).toEqual(['auto', 'anywhere']);
  }
});
