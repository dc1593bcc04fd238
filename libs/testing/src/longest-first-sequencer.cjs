// Starts the longest specs first, so that no long one runs alone at the end. The others follow by size.
const { default: Sequencer } = require('@jest/test-sequencer');
const { statSync } = require('node:fs');

/** From the longest down, as measured on two cores. */
const LONGEST = [
  'e2e/src/dashboard-pages.e2e.spec.ts',
  'e2e/src/one-stack.e2e.spec.ts',
  'e2e/src/replicas.e2e.spec.ts',
  'e2e/src/killed-services.e2e.spec.ts',
  'e2e/src/hostile/fault-run.e2e.spec.ts',
  'e2e/src/dashboard.e2e.spec.ts',
  'e2e/src/start.e2e.spec.ts',
  'e2e/src/hostile/neighbours.e2e.spec.ts',
  'apps/platform-webhook-ingest/src/receiving/hostile.spec.ts',
  'e2e/src/hostile/callbacks.e2e.spec.ts',
  'apps/auto-reply/src/replying/composing.spec.ts',
  'e2e/src/broadcast.e2e.spec.ts',
  'apps/broadcast/src/running/runner.spec.ts',
  'apps/auto-reply/src/replying/retries.spec.ts',
  'apps/platform-simulator/src/published-client.spec.ts',
  'libs/events/src/containment.spec.ts',
  'libs/events/src/events.spec.ts',
  'e2e/src/images.e2e.spec.ts',
  'e2e/src/traces.e2e.spec.ts',
];

/** A larger number starts earlier. */
function weight(path) {
  const place = LONGEST.findIndex((file) => path.endsWith(file));
  if (place >= 0) return 3e9 - place;
  return (path.includes('.e2e.') ? 1e9 : 0) + statSync(path).size;
}

module.exports = class LongestFirstSequencer extends Sequencer {
  sort(tests) {
    return [...tests].sort((a, b) => weight(b.path) - weight(a.path));
  }
};
