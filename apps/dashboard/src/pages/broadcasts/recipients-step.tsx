import { Alert, Anchor, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { csvFile } from '../../components/csv-file';
import { FileField } from '../../components/file-field';
import { counted, number } from '../../components/format-number';
import { readFile } from '../../components/read-file';
import { useDraft } from './draft';
import { mapByNames, type Field } from './mapping';
import { MAX_ROWS, MAX_TEXT, readTable } from './recipients-table';
import { TYPED } from '../../components/typed-text';

/** Takes the recipients from a file, or from a text that the person pastes. */
export function RecipientsStep({ fields, onNext }: { fields: Field[]; onNext: () => void }) {
  const { draft, change } = useDraft();
  const [fault, setFault] = useState<string | null>(null);
  const read = (text: string, file: string | null) => {
    const kept = { file, text: file === null ? text : '' };
    setFault(null);
    if (text.trim() === '') return change({ ...kept, table: null });
    try {
      const table = readTable(text);
      change({ ...kept, table, mapping: mapByNames(fields, table.names, draft.mapping) });
    } catch (error) {
      setFault((error as Error).message);
      change({ ...kept, table: null });
    }
  };
  const open = (file: File | null) => {
    setFault(null);
    if (!file) return change({ file: null, table: null });
    const refuse = (problem: string) => {
      setFault(problem);
      change({ file: file.name, text: '', table: null });
    };
    // Check the size before the browser holds the text.
    if (file.size > MAX_TEXT) return refuse('The file is larger than 8 MB. Split it into several broadcasts.');
    readFile(file).then(
      (text) => read(text, file.name),
      (error: Error) => refuse(error.message),
    );
  };
  // Names columns by variable, not by position: another language may use the variables in another order.
  const sample = csvFile([fields.map(({ key }) => key), fields.map(({ example = 'value' }) => example)]);
  return (
    <Stack>
      <FileField
        label="CSV file"
        description={`One row for each person, at most ${number(MAX_ROWS)}, with a phone number and the values of the template.`}
        // The draft names the file, even after a reload.
        filename={draft.file ?? undefined}
        accept=".csv,.tsv,text/csv,text/plain"
        leftSection={<IconUpload size={16} />}
        value={null}
        onChange={open}
      />
      {draft.file !== null && (
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => open(null)}>
          Use another list
        </Anchor>
      )}
      {draft.file === null && (
        <Textarea
          label="Or paste the rows here"
          placeholder={'phone,name,order\n+91 98765 43210,Asha,1007'}
          minRows={5}
          maxRows={12}
          autosize
          value={draft.text}
          onChange={(e) => read(e.currentTarget.value, null)}
        />
      )}
      <Text size="sm">
        <Anchor href={sample} download="recipients.csv" size="sm" underline="always">
          Download a sample
        </Anchor>{' '}
        with the columns of this template.
      </Text>
      {fault !== null && (
        <Alert color="red" role="alert" title="This list cannot be read">
          {fault}
        </Alert>
      )}
      {draft.table && (
        <Text size="sm" role="status" {...TYPED}>
          {draft.file !== null && `${draft.file}: `}
          {counted(draft.table.rows.length, 'row')}, {draft.table.names.length === 1 ? 'column' : 'columns'} {draft.table.names.join(', ')}
        </Text>
      )}
      <Group justify="flex-end">
        <Button disabled={!draft.table} onClick={onNext}>
          Continue to values
        </Button>
      </Group>
    </Stack>
  );
}
