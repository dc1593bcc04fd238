import { Alert, Button, FileButton, List } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, notifySuccess, request } from '../../api/client';
import { counted, number } from '../../components/format-number';
import { readFile } from '../../components/read-file';
import { optOutRows } from './opt-out-rows';

const FAULTS_SHOWN = 20;

/** Takes the good rows of a file, and names the others. */
export function ImportOptOuts() {
  const queries = useQueryClient();
  const clearChoice = useRef<() => void>(null);
  const load = useMutation({
    mutationFn: async (file: File) => {
      const rows = await optOutRows(await readFile(file));
      return request(api.POST('/api/client/suppressions/import', { body: { rows } }));
    },
    onSuccess: ({ added, unchanged }) => {
      notifySuccess(`${number(added)} added, ${number(unchanged)} unchanged.`);
      void queries.invalidateQueries({ queryKey: ['suppressions'] });
    },
  });
  const faults = load.data?.faults ?? [];
  return (
    <>
      <FileButton
        accept=".csv,text/csv,text/plain"
        resetRef={clearChoice}
        onChange={(file) => {
          if (file) load.mutate(file);
          // The same file may be chosen again.
          clearChoice.current?.();
        }}
      >
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconUpload size={16} />} loading={load.isPending}>
            Import CSV
          </Button>
        )}
      </FileButton>
      {faults.length > 0 && (
        <Alert color="red" w="100%" title={`${counted(faults.length, 'row')} could not be imported`} role="alert">
          <List size="sm">
            {faults.slice(0, FAULTS_SHOWN).map(({ row, field, message }) => (
              <List.Item key={row}>
                Row {row}: {field} {message}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}
