import { groupIntoMessages } from './group-into-messages';

interface Told {
  subject?: string;
  key?: string;
  body?: string;
  traceparent?: string | null;
}
const row = ({ subject = 'public.message.sent', key = 'conversation:1', body = '{}', traceparent = null }: Told) => ({
  subject,
  ordering_key: key,
  body,
  traceparent,
});
const divided = (told: Told[]) => groupIntoMessages(told.map(row)).map(({ rows }) => rows.map(({ body }) => body));
const RECEIVED = 'public.message.received';
const CREATED = 'public.conversation.created';

describe('events in messages of JetStream', () => {
  it('those of one subject travel together', () => {
    const told = [
      { key: 'a', body: '1' },
      { key: 'b', body: '2', subject: RECEIVED },
      { key: 'c', body: '3' },
      { key: 'd', body: '4', subject: RECEIVED },
    ];
    expect(divided(told)).toEqual([
      ['1', '3'],
      ['2', '4'],
    ]);
  });

  it('those of one key stay in their order (decision 29b)', () => {
    const told = [
      { key: 'a', body: '1', subject: RECEIVED },
      { key: 'b', body: '2', subject: CREATED },
      { key: 'b', body: '3', subject: RECEIVED },
      { key: 'a', body: '4', subject: RECEIVED },
      { key: 'c', body: '5', subject: CREATED },
      { key: 'c', body: '6', subject: RECEIVED },
      { key: 'a', body: '7', subject: CREATED },
    ];
    expect(divided(told)).toEqual([['1'], ['2', '5'], ['3', '4', '6'], ['7']]);
  });

  it('a message stays within the number and the size that NATS and consumers can take; one that is larger travels alone', () => {
    expect(divided(Array.from({ length: 130 }, () => ({}))).map(({ length }) => length)).toEqual([64, 64, 2]);
    const half = 'x'.repeat(20_000);
    expect(divided([{ body: half }, { body: half }, { body: 'y' }])).toEqual([[half], [half, 'y']]);
    const large = 'x'.repeat(500_000);
    expect(divided([{ body: 'a' }, { body: large }, { body: 'b' }])).toEqual([['a'], [large], ['b']]);
  });

  it('those of a trace and those of none travel apart: the traces of a message are listed in the order of its events', () => {
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
