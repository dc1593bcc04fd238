import type { ListRecipients, ReplyOf } from '@mgw/contracts';
import { csvLine } from '../responses/csv-line';

export type Recipient = ReplyOf<typeof ListRecipients>['recipients'][number];

/** The columns after the values, which no template takes. */
export const STATE_COLUMNS = ['state', 'delivery', 'replied_at', 'reason', 'message_id'];

/**
 * Recipients with their values. The first page names the columns of values, because every row of a broadcast fills the same template;
 * a row that lacks an optional value has an empty cell.
 */
export async function* recipientsCsv(first: Recipient[], rest: AsyncIterable<Recipient[]>): AsyncGenerator<string> {
  const most = (values: 'header_params' | 'body_params' | 'button_params') => Math.max(0, ...first.map((row) => row[values]?.length ?? 0));
  const [headers, bodies, buttons] = [most('header_params'), most('body_params'), most('button_params')];
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}_${i + 1}`);
  const cells = (values: string[] = [], count: number) => Array.from({ length: count }, (_, i) => values[i] ?? '');
  const line = ({ phone, header_params, body_params, button_params, state, delivery, replied_at, reason, message_id }: Recipient) =>
    csvLine([
      ...[phone, ...cells(header_params, headers), ...cells(body_params, bodies), ...cells(button_params, buttons)],
      ...[state, delivery ?? '', replied_at ?? '', reason ?? '', message_id ?? ''],
    ]);
  yield csvLine(['phone', ...numbered('header', headers), ...numbered('body', bodies), ...numbered('button', buttons), ...STATE_COLUMNS]);
  yield first.map(line).join('');
  for await (const page of rest) yield page.map(line).join('');
}
