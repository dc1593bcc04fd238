import type { Look } from './broadcast-pace';

/** The time that a bar of the plot covers. */
const SLOT_MS = 5_000;
export const SLOTS = 60;
/** The period whose looks the plot needs, in milliseconds. */
export const PLOT_MS = (SLOTS + 2) * SLOT_MS;

/** @returns messages a minute in each whole slot between the first look and the last one; the pace between two looks counts as even */
export function ratesOf(looks: Look[]): number[] {
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last) return [];
  const [from, to] = [Math.ceil(first.at / SLOT_MS), Math.floor(last.at / SLOT_MS)];
  const edges = Array.from({ length: Math.max(0, to - from) + 1 }, (_, i) => doneAt(looks, (from + i) * SLOT_MS));
  return edges
    .slice(1)
    .map((done, i) => Math.round(((done - (edges[i] ?? 0)) * 60_000) / SLOT_MS))
    .slice(-SLOTS);
}

function doneAt(looks: Look[], at: number): number {
  const next = looks.findIndex((look) => look.at >= at);
  const after = looks[next];
  const before = looks[next - 1];
  if (!after || !before) return (after ?? looks.at(-1))?.done ?? 0;
  return before.done + ((after.done - before.done) * (at - before.at)) / (after.at - before.at);
}
