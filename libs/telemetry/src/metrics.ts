import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

const registry = new Registry();
let runtimeCollected = false;

/** Seconds, one set for everything, so that any two operations can be laid over each other. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Asked twice for the same name, answers with the same metric: callers need no place to keep it. */
function once<M>(name: string, make: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make();
}

export function counter(name: string, help: string, labelNames: string[] = []): Counter {
  return once(name, () => new Counter({ name, help, labelNames, registers: [registry] }));
}

/** With `collect`, the value is asked for at each scrape. */
export function gauge(name: string, help: string, labelNames: string[] = [], collect?: () => number): Gauge {
  return once(
    name,
    () =>
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        ...(collect && {
          collect(this: Gauge) {
            this.set(collect());
          },
        }),
      }),
  );
}

/** Durations, in seconds. */
export function histogram(name: string, help: string, labelNames: string[] = []): Histogram {
  return once(name, () => new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: [registry] }));
}

/** All of this process's metrics in Prometheus' text format. */
export async function metricsText(): Promise<{ type: string; text: string }> {
  if (!runtimeCollected) {
    collectDefaultMetrics({ register: registry });
    runtimeCollected = true;
  }
  return { type: registry.contentType, text: await registry.metrics() };
}
