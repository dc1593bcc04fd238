/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen } from '@testing-library/react';
import { draw } from '../../page.fixture';
import { RecentReplies } from './recent-replies';

it('recent replies: a long word of a customer breaks, and each text has its own direction', async () => {
  const reply = { id: 1, question: 'مرحبا', reply: 'w'.repeat(300), reason: null, state: 'replied', at: '2026-01-05T09:00:00.000Z' };
  const refused = { ...reply, id: 2, question: 'v'.repeat(300), reply: null, reason: 'The model did not respond.', state: 'skipped' };
  draw(<RecentReplies />, { 'GET /api/client/auto-reply/replies': () => ({ replies: [reply, refused], next_cursor: null }) });
  for (const text of [reply.question, reply.reply, refused.question, refused.reason]) {
    const shown = await screen.findByText(text);
    expect([shown.dir, shown.style.overflowWrap]).toEqual(['auto', 'anywhere']);
  }
});
