// Keeps two cores busy from the first to the last minute. A spec with a stack of its own takes a core, a spec of a service mostly waits. So
// two workers run stacks, the others run the other specs, and whoever ends first helps.
const { default: Sequencer } = require('@jest/test-sequencer');
const { statSync } = require('node:fs');

/** Seconds on two cores. Names with `.e2e.` start a stack. */
const SECONDS = {
  'e2e/src/one-stack.e2e.spec.ts': 302,
  'e2e/src/dashboard-pages.e2e.spec.ts': 260,
  'e2e/src/dashboard.e2e.spec.ts': 195,
  'e2e/src/killed-services.e2e.spec.ts': 162,
  'e2e/src/hostile/neighbours.e2e.spec.ts': 117,
  'e2e/src/replicas.e2e.spec.ts': 114,
  'e2e/src/images.e2e.spec.ts': 102,
  'apps/platform-webhook-ingest/src/receiving/hostile.spec.ts': 96,
  'apps/gateway/src/api-v1/hostile-input.spec.ts': 82,
  'apps/broadcast/src/running/runner.spec.ts': 67,
  'e2e/src/start.e2e.spec.ts': 63,
  'apps/outbound-webhook-dispatcher/src/deliveries/dispatch.spec.ts': 63,
  'apps/platform-webhook-ingest/src/receiving/receiving.spec.ts': 62,
  'e2e/src/hostile/fault-run.e2e.spec.ts': 61,
  'e2e/src/hostile/callbacks.e2e.spec.ts': 60,
  'apps/dashboard/src/pages/pages.spec.tsx': 55,
  'apps/send/src/sending/crash.spec.ts': 54,
  'apps/auto-reply/src/replying/composing.spec.ts': 51,
  'apps/dashboard/src/pages/inbox/inbox-page.spec.tsx': 51,
  'apps/gateway/src/docs/docs.spec.ts': 49,
  'apps/gateway/src/login/account.spec.ts': 47,
  'e2e/src/traces.e2e.spec.ts': 47,
  'libs/events/src/events.spec.ts': 45,
  'libs/events/src/relays.spec.ts': 41,
  'e2e/src/broadcast.e2e.spec.ts': 41,
  'libs/events/src/containment.spec.ts': 40,
  'libs/events/src/replays.spec.ts': 40,
  'apps/send/src/inbox/search.spec.ts': 36,
  'apps/platform-simulator/src/published-client.spec.ts': 35,
  'apps/auto-reply/src/replying/retries.spec.ts': 33,
  'apps/outbound-webhook-dispatcher/src/deliveries/dead-workers.spec.ts': 33,
  'apps/gateway/src/api-v1/events.spec.ts': 32,
  'e2e/src/webhook-addresses.e2e.spec.ts': 32,
  'libs/events/src/ordered.spec.ts': 31,
  'apps/send/src/sending/send-pipeline.spec.ts': 30,
  'apps/gateway/src/http/hostile-bodies.spec.ts': 29,
  'apps/platform-simulator/src/simulator.spec.ts': 28,
  'apps/outbound-webhook-dispatcher/src/deliveries/ceilings.spec.ts': 27,
  'apps/outbound-webhook-dispatcher/src/deliveries/crash.spec.ts': 26,
  'apps/outbound-webhook-dispatcher/src/deliveries/order.spec.ts': 25,
};
const STACK_WORKERS = 2;
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
    this.stackWorkers = Math.min(STACK_WORKERS, this.workers - 1);
  }

  /** Orders the specs as the workers would take them if each took as long as expected. */
  sort(tests) {
    const specs = tests.map((test) => ({ test, seconds: secondsOf(test) })).sort((a, b) => b.seconds - a.seconds);
    const stacks = specs.filter(({ test }) => test.path.includes('.e2e.'));
    const others = specs.filter(({ test }) => !test.path.includes('.e2e.'));
    const freeAt = Array.from({ length: this.workers }, () => 0);
    return specs.map(() => {
      const worker = freeAt.indexOf(Math.min(...freeAt));
      const [own, help] = worker < this.stackWorkers ? [stacks, others] : [others, stacks];
      const { test, seconds } = own.shift() ?? help.shift();
      freeAt[worker] += seconds;
      return test;
    });
  }
};
