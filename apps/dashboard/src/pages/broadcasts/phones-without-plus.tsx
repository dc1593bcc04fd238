import { Alert, Text } from '@mantine/core';
import { counted } from '../../components/format-number';
import { digitsOf, isIndian, phoneUnderstood } from '../../components/phone-shown';

/** Shows how numbers without + are understood, with an example of each rule (decision 748). */
export function PhonesWithoutPlus({ phones }: { phones: string[] }) {
  const unmarked = phones.filter((phone) => /^[\d ()-]+$/.test(phone));
  if (unmarked.length === 0) return null;
  const indian = shortest(unmarked.filter(isIndian));
  const other = shortest(unmarked.filter((phone) => !isIndian(phone)));
  return (
    <Alert color="yellow" title={`${counted(unmarked.length, 'number')} without +`}>
      {other !== undefined && <Example phone={other}>its first digits count as the country code.</Example>}
      {indian !== undefined && <Example phone={indian}>ten digits that begin with 6, 7, 8 or 9 count as an Indian number.</Example>}
      <Text size="sm">If that is another country, write the numbers with + and the country code, and choose the list again.</Text>
    </Alert>
  );
}

function Example({ phone, children }: { phone: string; children: string }) {
  return (
    <Text size="sm">
      {phone} goes to <b>{phoneUnderstood(phone)}</b>: {children}
    </Text>
  );
}

/** The shortest number is the likeliest one to lack its country code. */
function shortest([first, ...others]: string[]): string | undefined {
  return others.reduce((one, other) => (digitsOf(other).length < digitsOf(one ?? '').length ? other : one), first);
}
