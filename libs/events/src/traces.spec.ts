import { createLogger, startTracing, withTraceparent, type Tracing } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { traceparentOf } from './index';
import { effect, openShop, type Shop } from './shop.fixture';

const traceOf = (number: number) => number.toString(16).padStart(32, '0');
const traceparent = (number: number) => `00-${traceOf(number)}-b7ad6b7169203331-01`;
const NUMBERS = Array.from({ length: 20 }, (_, i) => i + 1);

describe('traces of events', () => {
  let tracing: Tracing;
  let shop: Shop;

  beforeAll(async () => {
    // This process exports no traces: the tests check the trace context that it passes on.
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:9';
    tracing = await startTracing('events', createLogger('events', 'silent'));
    shop = await openShop();
  });
  afterAll(async () => {
    await shop.close();
    await tracing.close();
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  });

  it('events that are handled together continue their own traces, even after a redelivery', async () => {
    // All wait in the outbox before the relay and the consumer start, so they arrive as one batch.
    for (const number of NUMBERS) await withTraceparent(traceparent(number), () => shop.publish(number));
    shop.relay();
    await eventually(async () => (await shop.count('outbox WHERE published_at IS NOT NULL')) === NUMBERS.length);
    const received: { id: string; trace: string | undefined }[][] = [];
    shop.consumer({
      handle: async (events, tx) => {
        received.push(events.map((event) => ({ id: event.id, trace: traceparentOf(event)?.split('-')[1] })));
        if (received.length === 1) throw new Error('not now');
        await effect(events, tx);
      },
    });
    await eventually(async () => (await shop.effects()).length === NUMBERS.length);
    const own = new Map(NUMBERS.map((number) => [`message.sent:wamid.${number}`, traceOf(number)]));
    expect(received.flat().filter(({ id, trace }) => trace !== own.get(id))).toEqual([]);
    expect(received.some((batch) => batch.length > 1)).toBe(true);
  });

  it('an event without a trace has none in its row and its message', async () => {
    await shop.publish(99);
    const [row] = await shop.db.query<{ traceparent: string | null }>(
      `SELECT traceparent FROM shop.outbox WHERE event_id = 'message.sent:wamid.99'`,
    );
    expect(row).toEqual({ traceparent: null });
  });
});
