import { barNames, type MessageCounts } from '../../api/message-counts';
import type { Bar, Part } from '../../components/bar';

/** The parts of a bar, the lowest first, by `sent_by`. Replies are written by agents and by auto-reply. */
const SENDERS: (Part & { senders: (string | null)[] })[] = [
  { name: 'API', color: 'green-8', dark: 'green-6', senders: ['api', null] },
  { name: 'Broadcasts', color: 'green-5', dark: 'green-4', senders: ['broadcast'] },
  { name: 'Agents and AI', color: 'green-2', senders: ['agent', 'ai'] },
];
export const PARTS: Part[] = [...SENDERS, { name: 'Failed', color: 'red-6' }];

/** Messages in disjoint parts: by sender, and the failed ones of all. */
export function plotBars(counts: MessageCounts): Bar[] {
  const names = barNames(counts);
  return counts.bars.map((bar, i) => {
    const notFailed = SENDERS.map(({ senders }) =>
      bar.counts.filter(({ sent_by }) => senders.includes(sent_by)).reduce((sum, { sent, failed }) => sum + sent - failed, 0),
    );
    const failed = bar.counts.reduce((sum, one) => sum + one.failed + one.refused, 0);
    return { ...(names[i] as (typeof names)[number]), values: [...notFailed, failed] };
  });
}
