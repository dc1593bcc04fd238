import { SegmentedControl } from '@mantine/core';
import { PERIODS, type Period } from '../api/message-counts';

export function PeriodSwitch({ value, onChange }: { value: Period; onChange: (period: Period) => void }) {
  return (
    <SegmentedControl
      aria-label="Period"
      data={PERIODS.map(({ value, label }) => ({ value, label }))}
      value={value}
      onChange={(next) => onChange(next as Period)}
    />
  );
}
