import { createLogger, startTracing, traced, withTraceparent, type Tracing } from '@mgw/telemetry';
import { logLines } from '@mgw/testing';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const KEPT = `00-${TRACE}-b7ad6b7169203331-01`;
const NOT_KEPT = `00-${TRACE}-b7ad6b7169203331-00`;
const step = { kind: 'client', attributes: {} } as const;

it('without configuration a span only does its work and passes no trace on', async () => {
  expect(await withTraceparent(KEPT, () => traced('step', step, async (span) => span.traceparent ?? 'none'))).toBe('none');
});

describe('spans', () => {
  const logger = createLogger('test', 'info');
  const lines = logLines(logger);
  let tracing: Tracing;

  beforeAll(async () => {
    // This process exports no traces: the tests check the trace context that it passes on.
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:9';
    tracing = await startTracing('test', logger);
  });
  afterAll(async () => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    await tracing.close();
  });

  it('pass their trace on, and log lines name it', async () => {
    const handed = await withTraceparent(KEPT, () =>
      traced('step', step, async (span) => {
        logger.info('done');
        return span.traceparent;
      }),
    );
    expect(handed).toMatch(new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
    logger.info('elsewhere');
    expect(lines().find(({ msg }) => msg === 'done')).toMatchObject({ trace_id: TRACE });
    expect(lines().find(({ msg }) => msg === 'elsewhere')).not.toHaveProperty('trace_id');
  });

  it('pass on that the caller does not sample the trace', async () => {
    const handed = await traced('step', { ...step, parent: NOT_KEPT }, async (span) => span.traceparent);
    expect(handed).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it.each([null, '', `${KEPT}-more`, `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, "' OR 1=1"])(
    'start a new trace after %j',
    async (parent) => {
      const handed = await withTraceparent(KEPT, () => traced('step', { ...step, parent }, async (span) => span.traceparent));
      expect(handed).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      expect(handed).not.toContain(TRACE);
    },
  );
});
