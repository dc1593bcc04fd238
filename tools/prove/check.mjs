// Compares the witnesses. Each check returns what is wrong; a run holds when every list is empty.
import { EVENT_CHECKS } from './check-events.mjs';
import { SEND_CHECKS } from './check-sends.mjs';

const SILENT_MS = 2_000;

const CHECKS = {
  ...SEND_CHECKS,
  ...EVENT_CHECKS,
  'processes that died by themselves': ({ deaths }) => deaths.map(({ name }) => name),
  'not finished at the end': ({ unfinished }) => Object.entries(unfinished).map(([name, count]) => `${name}: ${count}`),
};

/** Depends on the machine too, so it is shown and does not count: pauses of a healthy receiver after one dispatcher was killed. */
export function silences(run) {
  const healthy = run.webhooks.filter(({ mode, name }) => mode === 'ok' && name !== 'disturbed');
  const kills = run.faults.filter(({ name }) => name === 'kill outbound-webhook-dispatcher');
  return healthy.flatMap(({ name }) => {
    const times = run.receipts.filter(({ webhook }) => webhook === name).map(({ at }) => at);
    return kills.flatMap(({ at }) => {
      const next = times.filter((time) => time > at && time < at + 30_000);
      const gaps = next.map((time, nth) => time - (next[nth - 1] ?? at));
      const longest = Math.max(0, ...gaps);
      return longest > SILENT_MS ? [`${name} heard nothing for ${(longest / 1_000).toFixed(1)} s`] : [];
    });
  });
}

/** @returns the table: each check with what it found */
export function check(run) {
  return Object.entries(CHECKS).map(([name, find]) => ({ name, wrong: find(run) }));
}
