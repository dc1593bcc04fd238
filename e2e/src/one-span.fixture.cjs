// A process that traces one failing step, exports the span and prints a line.
const { createLogger, startTracing, traced } = require('../../dist/libs/telemetry/src');

void startTracing('test', createLogger('test')).then(async (tracing) => {
  const failure = Object.assign(new Error('no row for 919876543210'), { code: '23505' });
  await traced('step', { kind: 'client', attributes: {} }, () => Promise.reject(failure)).catch(() => undefined);
  await tracing.close();
  console.log('closed');
});
