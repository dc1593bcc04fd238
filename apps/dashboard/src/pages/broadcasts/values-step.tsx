import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDraft } from './draft';
import { FilledPreviews } from './filled-previews';
import { isMapped, type Field, type Source } from './mapping';
import type { RecipientsTable } from './recipients-table';
import type { Template } from '../templates/template-values';

const TEXT = 'text';

/** Maps columns of the list to the values of the template, beside messages as the first people get them. */
export function ValuesStep({
  template,
  fields,
  table,
  onNext,
}: {
  template: Template;
  fields: Field[];
  table: RecipientsTable;
  onNext: () => void;
}) {
  const { draft, change } = useDraft();
  const columns = table.names.map((name, i) => ({ value: String(i), label: name || `Column ${i + 1}` }));
  const set = (key: string, source: Source | null) => {
    const others = Object.entries(draft.mapping).filter(([name]) => name !== key);
    change({ mapping: Object.fromEntries(source === null ? others : [...others, [key, source]]) });
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <div>
        <Stack>
          {fields.map(({ key, label, isOptional }) => {
            const source = draft.mapping[key];
            const isText = source !== undefined && 'text' in source;
            return (
              <Stack key={key} gap={6}>
                <Select
                  label={label}
                  placeholder={isOptional ? 'None' : 'Choose a column'}
                  clearable={isOptional}
                  data={key === 'phone' ? columns : [...columns, { value: TEXT, label: 'The same text for everybody' }]}
                  value={source === undefined ? null : isText ? TEXT : String(source.column)}
                  onChange={(value) => set(key, value === null ? null : value === TEXT ? { text: '' } : { column: Number(value) })}
                />
                {isText && (
                  <TextInput
                    aria-label={`Text for ${label}`}
                    placeholder="Text"
                    value={source.text}
                    onChange={(e) => set(key, { text: e.currentTarget.value })}
                  />
                )}
              </Stack>
            );
          })}
          <Group justify="flex-end">
            <Button disabled={!isMapped(fields, draft.mapping)} onClick={onNext}>
              Continue to the check
            </Button>
          </Group>
        </Stack>
      </div>
      <div>
        <Title order={2} size="h5" mb="xs">
          Preview
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          The first rows of your list
        </Text>
        <FilledPreviews template={template} fields={fields} mapping={draft.mapping} table={table} />
      </div>
    </SimpleGrid>
  );
}
