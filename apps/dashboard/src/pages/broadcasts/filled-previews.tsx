import { Text } from '@mantine/core';
import { PhoneBubble } from '../../components/phone-bubble';
import { phoneUnderstood } from '../../components/phone-shown';
import { Wallpaper } from '../../components/wallpaper';
import { filledBody, filledHeader, labelsOf, type Template } from '../templates/template-values';
import { recipientsOf, type Field, type Mapping } from './mapping';
import type { RecipientsTable } from './recipients-table';

const SHOWN = 3;

/** The messages of the first rows, as a phone shows them. */
export function FilledPreviews({
  template,
  fields,
  mapping,
  table: { names, rows },
}: {
  template: Template;
  fields: Field[];
  mapping: Mapping;
  table: RecipientsTable;
}) {
  return (
    <Wallpaper>
      {recipientsOf(fields, mapping, { names, rows: rows.slice(0, SHOWN) }).map(({ phone, body_params, header_params }, i) => {
        const values = (header_params ?? []).map(String);
        const header = filledHeader(template, values) ?? (template.header_type && `[${values[0] || template.header_type.toLowerCase()}]`);
        return (
          <div key={i} style={{ display: 'contents' }}>
            <Text size="xs" ta="right" c="light-dark(#3f3a34, #c3c9cd)">
              To {(phoneUnderstood(phone) ?? phone) || '—'}
            </Text>
            <PhoneBubble
              header={header}
              text={filledBody(template, (body_params ?? []).map(String))}
              footer={template.footer_text}
              buttons={labelsOf(template)}
            />
          </div>
        );
      })}
    </Wallpaper>
  );
}
