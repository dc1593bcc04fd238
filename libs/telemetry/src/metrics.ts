import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

const registry = new Registry();
let runtimeCollected = false;

/** Buckets of all durations, in seconds; one set for all, so that operations can be compared. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns the same metric for the same name, so callers need not keep it. */
function once<M>(name: string, make: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make();
}

export function counter(name: string, help: string, labelNames: string[] = []): Counter {
  return once(name, () => new Counter({ name, help, labelNames, registers: [registry] }));
}

/** With `collect`, the value is read at each scrape. */
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

type Read = () => Promise<Record<string, number>>;
type Labels = Readonly<Record<string, string>>;
const readers = new Map<string, Map<Read, Labels>>();
/** Deadline of a reader at a scrape, in milliseconds. */
const READ_WITHIN_MS = 2_000;

/**
 * One series for each value that readers return at a scrape. Several readers may share a metric; one that fails has no series.
 * @param label the label that holds the values' names
 * @param labels further labels of this reader's series
 * @returns a function that removes the reader
 */
export function gauges(name: string, help: string, label: string, read: Read, labels: Labels = {}): () => void {
  const all = readers.get(name) ?? new Map<Read, Labels>();
  if (!readers.has(name)) {
    readers.set(name, all);
    new Gauge({
      name,
      help,
      labelNames: [label, ...Object.keys(labels)],
      registers: [registry],
      async collect(this: Gauge) {
        const results = await Promise.all([...all].map(async ([one, own]) => ({ own, values: await inTime(one) })));
        this.reset();
        for (const { own, values } of results) for (const [key, value] of Object.entries(values)) this.set({ ...own, [label]: key }, value);
      },
    });
  }
  all.set(read, labels);
  return () => all.delete(read);
}

async function inTime(read: Read): Promise<Record<string, number>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Record<string, number>>((resolve) => (timer = setTimeout(() => resolve({}), READ_WITHIN_MS)));
  return Promise.race([read().catch(() => ({})), late]).finally(() => clearTimeout(timer));
}

/** Durations, in seconds. */
export function histogram(name: string, help: string, labelNames: string[] = []): Histogram {
  return once(name, () => new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: [registry] }));
}

/** This process's metrics in Prometheus' text format. */
export async function metricsText(): Promise<{ type: string; text: string }> {
  if (!runtimeCollected) {
    collectDefaultMetrics({ register: registry });
    runtimeCollected = true;
  }
  return { type: registry.contentType, text: await registry.metrics() };
}
