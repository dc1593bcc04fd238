import { Alert } from '@mantine/core';
import { counted } from '../../components/format-number';
import { phoneUnderstood } from '../../components/phone-shown';

/** Shows how numbers without + are understood, because their first digits count as a country code (decision 748). */
export function PhonesWithoutPlus({ phones }: { phones: string[] }) {
  const unmarked = phones.filter((phone) => /^[\d ()-]+$/.test(phone));
  // The shortest number is the likeliest one to lack its country code.
  const example = unmarked.reduce((one, other) => (other.length < one.length ? other : one), unmarked[0] ?? '');
  if (unmarked.length === 0) return null;
  return (
    <Alert color="yellow" title={`${counted(unmarked.length, 'number')} without +`}>
      Their first digits count as the country code: {example} goes to <b>{phoneUnderstood(example)}</b>. If that is another country, write
      the numbers with + and the country code, and choose the list again.
    </Alert>
  );
}
