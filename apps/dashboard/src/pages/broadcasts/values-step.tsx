import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDraft } from './draft';
import { FilledPreviews } from './filled-previews';
import { isColumn, isMapped, type Field, type Source } from './mapping';
import type { RecipientsTable } from './recipients-table';
import type { Template } from '../templates/template-values';

const TEXT = 'text';
const NONE = 'none';

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
  const set = (key: string, source: Source) => change({ mapping: { ...draft.mapping, [key]: source } });
  const choose = (key: string, value: string | null) => {
    const column = Number(value);
    if (value === TEXT) set(key, { text: '' });
    else set(key, value === null || value === NONE ? null : { column, name: table.names[column] ?? '', isChosen: true });
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <div>
        <Stack>
          {fields.map(({ key, label, isOptional }) => {
            const source = draft.mapping[key] ?? null;
            const isGone = isColumn(source) && source.column === null;
            const unchosen = isOptional ? NONE : null;
            const chosen = !source ? unchosen : isColumn(source) ? (source.column?.toString() ?? null) : TEXT;
            return (
              <Stack key={key} gap={6}>
                <Select
                  label={label}
                  placeholder="Choose a column"
                  allowDeselect={false}
                  data={[
                    ...(isOptional ? [{ value: NONE, label: 'None' }] : []),
                    ...columns,
                    ...(key === 'phone' ? [] : [{ value: TEXT, label: 'The same text for everybody' }]),
                  ]}
                  value={chosen}
                  error={isGone && `The list no longer has the column “${source.name}”. Choose another one.`}
                  onChange={(value) => choose(key, value)}
                />
                {source && !isColumn(source) && (
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
