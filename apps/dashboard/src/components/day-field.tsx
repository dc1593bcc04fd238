import { useState } from 'react';
import { DateField } from './datetime-field';

interface DayFieldProps {
  label: string;
  value: string;
  /** True until the value has loaded; loading would overwrite what the person types. */
  disabled: boolean;
  onChange: (day: string) => void;
}

/** A date field. Typing a year passes through 0002, 0020 and 0202; only a year of four digits from 2000 on is reported. */
export function DayField({ label, value, disabled, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <DateField
      label={label}
      disabled={disabled}
      value={typed ?? value}
      onChange={(e) => {
        const day = e.currentTarget.value;
        setTyped(day);
        if (/^[2-9]\d{3}-/.test(day)) onChange(day);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
