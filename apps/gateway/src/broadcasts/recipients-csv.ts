import type { ListRecipients, ResponseOf } from '@mgw/contracts';
import { csvLine } from '../responses/csv-line';

type Recipients = ResponseOf<typeof ListRecipients>;
type Recipient = Recipients['recipients'][number];
type ValueCounts = NonNullable<Recipients['value_counts']>;

/** The columns after the values, which no template takes. */
export const STATE_COLUMNS = ['state', 'delivery', 'replied_at', 'reason', 'message_id'];

/** An erased person has this instead of a number. */
export const ERASED = 'erased';

/** Recipients with their values. A row that lacks an optional value has an empty cell. */
export async function* recipientsCsv(counts: ValueCounts, pages: AsyncIterable<Recipients>): AsyncGenerator<string> {
  const { header_params: headers, body_params: bodies, button_params: buttons } = counts;
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}_${i + 1}`);
  const cells = (values: string[] = [], count: number) => Array.from({ length: count }, (_, i) => values[i] ?? '');
  const line = ({ phone, header_params, body_params, button_params, state, delivery, replied_at, reason, message_id }: Recipient) =>
    csvLine([
      ...[phone, ...cells(header_params, headers), ...cells(body_params, bodies), ...cells(button_params, buttons)],
      ...[state, delivery ?? '', replied_at ?? '', reason ?? '', message_id ?? ''],
    ]);
  yield csvLine(['phone', ...numbered('header', headers), ...numbered('body', bodies), ...numbered('button', buttons), ...STATE_COLUMNS]);
  for await (const { recipients } of pages) yield recipients.map(line).join('');
}

/**
 * How many values each part of the template takes. A broadcast service of the previous version does not report it; the longest row of the first
 * page then decides.
 */
export function valueCounts({ value_counts, recipients }: Recipients): ValueCounts {
  const most = (values: keyof ValueCounts) => Math.max(0, ...recipients.map((row) => row[values]?.length ?? 0));
  return value_counts ?? { header_params: most('header_params'), body_params: most('body_params'), button_params: most('button_params') };
}
