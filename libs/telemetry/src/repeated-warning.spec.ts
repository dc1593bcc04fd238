import { RepeatedWarning, type Logger } from './index';

describe('a failure of work that is retried every moment (decision 783)', () => {
  const lines: object[] = [];
  const logger = { warn: (fields: object, msg: string) => void lines.push({ ...fields, msg }) } as unknown as Logger;
  beforeEach(() => {
    lines.length = 0;
    jest.useFakeTimers();
  });
  afterEach(() => jest.useRealTimers());

  it('is logged at once, then once a minute with the number of failures, and at once when its cause changes', () => {
    const failed = new RepeatedWarning(logger, 'publishing failed', { schema: 'send' });
    const full = new Error('no room in file 16495');
    failed.warn(full);
    for (let half = 0; half < 119; half++) {
      jest.advanceTimersByTime(500);
      failed.warn(new Error(`no room in file ${half}`));
    }
    expect(lines).toEqual([{ err: full, schema: 'send', msg: 'publishing failed' }]);
    jest.advanceTimersByTime(500);
    failed.warn(full);
    const lost = new Error('connection lost');
    failed.warn(lost);
    expect(lines.slice(1)).toEqual([
      { err: full, schema: 'send', repeats: 120, msg: 'publishing failed' },
      { err: lost, schema: 'send', repeats: 1, msg: 'publishing failed' },
    ]);
  });
});
