import { groupIntoMessages } from './group-into-messages';

interface Sample {
  subject?: string;
  key?: string;
  body?: string;
  traceparent?: string | null;
}
const row = ({ subject = 'public.message.sent', key = 'conversation:1', body = '{}', traceparent = null }: Sample) => ({
  subject,
  ordering_key: key,
  body,
  traceparent,
});
const divided = (events: Sample[]) => groupIntoMessages(events.map(row)).map(({ rows }) => rows.map(({ body }) => body));
const RECEIVED = 'public.message.received';
const CREATED = 'public.conversation.created';

describe('events in messages of JetStream', () => {
  it('groups events of one subject', () => {
    const events = [
      { key: 'a', body: '1' },
      { key: 'b', body: '2', subject: RECEIVED },
      { key: 'c', body: '3' },
      { key: 'd', body: '4', subject: RECEIVED },
    ];
    expect(divided(events)).toEqual([
      ['1', '3'],
      ['2', '4'],
    ]);
  });

  it('keeps the order of each key (decision 29b)', () => {
    const events = [
      { key: 'a', body: '1', subject: RECEIVED },
      { key: 'b', body: '2', subject: CREATED },
      { key: 'b', body: '3', subject: RECEIVED },
      { key: 'a', body: '4', subject: RECEIVED },
      { key: 'c', body: '5', subject: CREATED },
      { key: 'c', body: '6', subject: RECEIVED },
      { key: 'a', body: '7', subject: CREATED },
    ];
    expect(divided(events)).toEqual([['1'], ['2', '5'], ['3', '4', '6'], ['7']]);
  });

  it('keeps messages within the bounds of NATS and consumers; a larger event has its own message', () => {
    expect(divided(Array.from({ length: 130 }, () => ({}))).map(({ length }) => length)).toEqual([64, 64, 2]);
    const half = 'x'.repeat(20_000);
    expect(divided([{ body: half }, { body: half }, { body: 'y' }])).toEqual([[half], [half, 'y']]);
    const large = 'x'.repeat(500_000);
    expect(divided([{ body: 'a' }, { body: large }, { body: 'b' }])).toEqual([['a'], [large], ['b']]);
  });

  it('separates traced events from others, and lists the traces in the order of the events', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(
      divided([
        { key: 'a', body: '1' },
        { key: 'b', body: '2', traceparent },
        { key: 'c', body: '3' },
      ]),
    ).toEqual([['1', '3'], ['2']]);
  });
});
