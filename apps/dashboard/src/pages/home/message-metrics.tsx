import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PERIODS, periodTotals, totalsOf, type MessageCounts, type Period } from '../../api/message-counts';
import { counted, number, rate } from '../../components/format-number';
import { Change } from './change';
import { countChange, rateChange } from './changes';
import { Metric } from './metric';

interface MessageMetricsProps {
  /** Undefined while they load, and if they could not be loaded. */
  counts: MessageCounts | undefined;
  period: Period;
}

/** Sent messages, and the rates of delivery and failure, compared with the previous period. */
export function MessageMetrics({ counts, period }: MessageMetricsProps) {
  const totals = counts ? periodTotals(counts) : totalsOf([]);
  const before = totalsOf(counts?.previous ? [counts.previous] : []);
  const unclear = counts?.failures.find(({ failure_code }) => failure_code === 'OUTCOME_UNKNOWN')?.count ?? 0;
  const text = PERIODS.find(({ value }) => value === period)?.text ?? '';
  const [sent, delivered, failed] = [
    countChange(totals.sent, before.sent),
    rateChange('delivered', 'sent', totals, before),
    rateChange('failed', 'accepted', totals, before),
  ];
  return (
    <>
      <Metric label="Sent" value={counts ? number(totals.sent) : '–'}>
        {sent && <Change {...sent} period={text} />}
      </Metric>
      <Metric label="Delivered" value={rate(totals.delivered, totals.sent)}>
        {delivered && <Change {...delivered} period={text} />}
      </Metric>
      <Metric label="Failed" value={rate(totals.failed, totals.accepted)}>
        {failed && <Change {...failed} period={text} />}{' '}
        {totals.failed > 0 && (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/messages" search={{ period, status: 'failed' }} />}>
            {counted(totals.failed, 'message')}
          </Anchor>
        )}
        {unclear > 0 && <div>{number(unclear)} of them not confirmed</div>}
      </Metric>
    </>
  );
}
