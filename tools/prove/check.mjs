// Compares the witnesses. Each check returns its violations; a run passes when every list is empty.
import { EVENT_CHECKS } from './check-events.mjs';
import { SEND_CHECKS } from './check-sends.mjs';

const SILENT_MS = 2_000;

const CHECKS = {
  ...SEND_CHECKS,
  ...EVENT_CHECKS,
  'processes that died by themselves': ({ deaths }) => deaths.map(({ name, said }) => `${name}: ${said}`),
  'not finished at the end': ({ unfinished }) => Object.entries(unfinished).map(([name, count]) => `${name}: ${count}`),
};

/**
 * Pauses of a healthy receiver between a kill of one dispatcher and the next fault, which may cause a pause of its own. Shown, not counted,
 * because they also depend on the machine.
 */
export function longPauses(run) {
  const healthy = run.webhooks.filter(({ mode, name }) => mode === 'ok' && name !== 'disturbed');
  const kills = run.faults.filter(({ name }) => name === 'kill outbound-webhook-dispatcher');
  return healthy.flatMap(({ name }) => {
    const times = run.receipts.filter(({ webhook }) => webhook === name).map(({ at }) => at);
    return kills.flatMap(({ at }) => {
      const isAfter = (time) => time > at && time < at + 30_000;
      const fault = run.faults.map((one) => one.at).find(isAfter);
      const next = times.filter((time) => isAfter(time) && !(time > fault));
      const marks = [at, ...next, ...(fault === undefined ? [] : [fault])];
      const longest = Math.max(0, ...marks.slice(1).map((time, nth) => time - marks[nth]));
      return longest > SILENT_MS ? [`${name} received nothing for ${(longest / 1_000).toFixed(1)} s`] : [];
    });
  });
}

/** @returns each check with its violations */
export function check(run) {
  return Object.entries(CHECKS).map(([name, find]) => ({ name, wrong: find(run) }));
}
