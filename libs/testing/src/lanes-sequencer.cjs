// Keeps two cores busy from the first to the last minute. A spec with a stack of its own takes a core, a spec of a service mostly waits. So
// stacks run in all workers but one, the other specs in the last one, and whoever ends first helps the other.
const { default: Sequencer } = require('@jest/test-sequencer');
const { statSync } = require('node:fs');

/** Seconds on two cores. Names with `.e2e.` start a stack. */
const SECONDS = {
  'e2e/src/one-stack.e2e.spec.ts': 302,
  'e2e/src/dashboard-pages.e2e.spec.ts': 190,
  'e2e/src/dashboard.e2e.spec.ts': 119,
  'e2e/src/replicas.e2e.spec.ts': 110,
  'e2e/src/killed-services.e2e.spec.ts': 96,
  'e2e/src/start.e2e.spec.ts': 83,
  'apps/broadcast/src/running/runner.spec.ts': 77,
  'apps/platform-webhook-ingest/src/receiving/hostile.spec.ts': 64,
  'e2e/src/hostile/fault-run.e2e.spec.ts': 64,
  'e2e/src/hostile/neighbours.e2e.spec.ts': 61,
  'apps/auto-reply/src/replying/composing.spec.ts': 45,
  'e2e/src/broadcast.e2e.spec.ts': 38,
  'e2e/src/hostile/callbacks.e2e.spec.ts': 35,
  'e2e/src/images.e2e.spec.ts': 33,
  'apps/platform-simulator/src/published-client.spec.ts': 30,
  'e2e/src/traces.e2e.spec.ts': 28,
  'apps/auto-reply/src/replying/retries.spec.ts': 27,
  'libs/events/src/containment.spec.ts': 27,
  'apps/platform-webhook-ingest/src/receiving/receiving.spec.ts': 23,
  'apps/outbound-webhook-dispatcher/src/deliveries/dead-workers.spec.ts': 22,
  'libs/events/src/events.spec.ts': 20,
  'apps/platform-simulator/src/simulator.spec.ts': 20,
};
const OTHER_STACK = 20;
const BYTES_PER_SECOND = 2_000;

function secondsOf({ path }) {
  const known = Object.keys(SECONDS).find((file) => path.endsWith(file));
  if (known) return SECONDS[known];
  return path.includes('.e2e.') ? OTHER_STACK : statSync(path).size / BYTES_PER_SECOND;
}

module.exports = class LanesSequencer extends Sequencer {
  constructor(options) {
    super(options);
    this.workers = Math.max(2, options.globalConfig.maxWorkers);
  }

  /** Orders the specs as the workers would take them if each took as long as expected. */
  sort(tests) {
    const specs = tests.map((test) => ({ test, seconds: secondsOf(test) })).sort((a, b) => b.seconds - a.seconds);
    const stacks = specs.filter(({ test }) => test.path.includes('.e2e.'));
    const others = specs.filter(({ test }) => !test.path.includes('.e2e.'));
    const freeAt = Array.from({ length: this.workers }, () => 0);
    return specs.map(() => {
      const worker = freeAt.indexOf(Math.min(...freeAt));
      const [own, help] = worker === this.workers - 1 ? [others, stacks] : [stacks, others];
      const { test, seconds } = own.shift() ?? help.shift();
      freeAt[worker] += seconds;
      return test;
    });
  }
};
