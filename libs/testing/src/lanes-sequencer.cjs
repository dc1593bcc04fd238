// Keeps two cores busy from the first to the last minute. A spec with a stack of its own takes a core, a spec of a service mostly waits. So
// two workers run stacks, the others run the other specs, and whoever ends first helps.
const { default: Sequencer } = require('@jest/test-sequencer');
const { statSync } = require('node:fs');

/** Seconds on two cores. Names with `.e2e.` start a stack. */
const SECONDS = {
  'e2e/src/one-stack.e2e.spec.ts': 212,
  'e2e/src/dashboard-pages.e2e.spec.ts': 199,
  'e2e/src/dashboard.e2e.spec.ts': 129,
  'e2e/src/killed-services.e2e.spec.ts': 129,
  'e2e/src/start.e2e.spec.ts': 99,
  'e2e/src/replicas.e2e.spec.ts': 78,
  'apps/dashboard/src/pages/inbox/inbox-page.spec.tsx': 78,
  'e2e/src/hostile/neighbours.e2e.spec.ts': 74,
  'apps/platform-webhook-ingest/src/receiving/hostile.spec.ts': 69,
  'e2e/src/images.e2e.spec.ts': 68,
  'e2e/src/hostile/fault-run.e2e.spec.ts': 58,
  'apps/dashboard/src/pages/pages.spec.tsx': 46,
  'e2e/src/broadcast.e2e.spec.ts': 37,
  'apps/platform-webhook-ingest/src/receiving/receiving.spec.ts': 36,
  'apps/outbound-webhook-dispatcher/src/deliveries/dispatch.spec.ts': 32,
  'apps/auto-reply/src/replying/retries.spec.ts': 32,
  'apps/gateway/src/login/login.spec.ts': 32,
  'apps/platform-simulator/src/published-client.spec.ts': 32,
  'apps/template/src/connections/connections.spec.ts': 28,
  'libs/events/src/tail.spec.ts': 25,
  'apps/gateway/src/login/account.spec.ts': 24,
  'apps/outbound-webhook-dispatcher/src/deliveries/crash.spec.ts': 23,
  'e2e/src/hostile/callbacks.e2e.spec.ts': 23,
  'libs/events/src/relays.spec.ts': 23,
  'e2e/src/traces.e2e.spec.ts': 23,
  'apps/gateway/src/http/hostile-bodies.spec.ts': 22,
  'apps/gateway/src/api-v1/hostile-input.spec.ts': 22,
  'apps/gateway/src/events/event-stream.spec.ts': 22,
  'apps/gateway/src/http/connections.spec.ts': 22,
  'apps/outbound-webhook-dispatcher/src/deliveries/dead-workers.spec.ts': 21,
  'apps/auto-reply/src/replying/composing.spec.ts': 20,
  'apps/platform-simulator/src/simulator.spec.ts': 20,
  'apps/auto-reply/src/replying/daily-limit.spec.ts': 20,
  'apps/broadcast/src/running/runner.spec.ts': 19,
  'apps/broadcast/src/running/key-access.spec.ts': 18,
  'apps/auto-reply/src/replying/shares.spec.ts': 18,
  'apps/send/src/sending/send-pipeline.spec.ts': 17,
  'libs/events/src/containment.spec.ts': 17,
  'e2e/src/webhook-addresses.e2e.spec.ts': 17,
  'libs/rpc/src/rpc.spec.ts': 17,
  'libs/events/src/ordered.spec.ts': 16,
  'apps/send/src/conversations/conversations.spec.ts': 16,
  'apps/template/src/templates/templates.spec.ts': 15,
  'apps/status/src/records/records.spec.ts': 15,
  'apps/outbound-webhook-dispatcher/src/feed/feed.spec.ts': 15,
  'apps/gateway/src/request-log/request-log.spec.ts': 15,
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
