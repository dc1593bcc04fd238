import { Alert, Button, Group, List } from '@mantine/core';
import { IconDownload, IconRowRemove } from '@tabler/icons-react';
import { csvFile } from '../../components/csv-file';
import { counted, isOrAre, number } from '../../components/format-number';
import type { RowFault } from './row-faults';

/** Faults on the page; the download has those that the check returned. */
const SHOWN = 20;

/** @param onLeaveOut takes the lines with these faults out of the list */
export function RowFaultsAlert({
  faults,
  wrong,
  total,
  onLeaveOut,
}: {
  faults: RowFault[];
  wrong: number;
  total: number;
  onLeaveOut: (lines: Set<number>) => void;
}) {
  const lines = new Set(faults.map(({ line }) => line));
  const rows = [['line', 'field', 'error'], ...faults.map(({ line, field, message }) => [line, field, message])];
  return (
    <Alert color="red" role="alert" title={`${number(wrong)} of ${counted(total, 'row')} ${isOrAre(wrong)} invalid`}>
      Correct them in the list and choose it again, or leave them out. Nothing is sent before every row is valid.
      <List size="sm" mt="xs">
        {faults.slice(0, SHOWN).map(({ line, field, message }) => (
          <List.Item key={`${line}${field}${message}`}>
            Line {line}: {field} {message}
          </List.Item>
        ))}
      </List>
      <Group gap="xs" mt="sm">
        {lines.size < total && (
          <Button size="xs" variant="default" leftSection={<IconRowRemove size={16} />} onClick={() => onLeaveOut(lines)}>
            {lines.size === 1 ? 'Leave this row out' : `Leave these ${number(lines.size)} rows out`}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={16} />}
          component="a"
          href={csvFile(rows)}
          download="broadcast-errors.csv"
        >
          {faults.length < wrong ? `Download the first ${counted(faults.length, 'error')} as CSV` : 'Download the errors as CSV'}
        </Button>
      </Group>
    </Alert>
  );
}
