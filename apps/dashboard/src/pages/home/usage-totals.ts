import { type Schemas } from '../../api/client';
export type Usage = Schemas['Usage'];

export type Totals = ReturnType<typeof totalsOf>;

export function totalsOf({ usage }: Usage) {
  const zero = { sent: 0, delivered: 0, read: 0, failed: 0 };
  return usage.reduce(
    (sum, line) => ({
      sent: sum.sent + line.sent,
      delivered: sum.delivered + line.delivered,
      read: sum.read + line.read,
      failed: sum.failed + line.failed + line.refused,
    }),
    zero,
  );
}
