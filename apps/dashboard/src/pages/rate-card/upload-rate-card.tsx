import { Alert, Code, List, Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, notifyError, notifySuccess, request, shownByForm } from '../../api/client';
import { ConfirmButton } from '../../components/confirm-button';
import { FileField } from '../../components/file-field';
import { Form } from '../../components/form';
import { readFile } from '../../components/read-file';
import { TitledCard } from '../../components/titled-card';

const FAULTS_SHOWN = 20;
const EXAMPLE =
  'prefix,market,currency,valid_from,marketing,utility,authentication,service\n91,India,INR,2027-01-01,0.8631,0.115,0.115,0.115';

/** Replaces the rates from today on, after a question. A wrong row refuses the whole file. */
export function UploadRateCard() {
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [replaces, setReplaces] = useState(false);
  const save = useMutation({
    mutationFn: async (csv: File) =>
      request(api.PUT('/api/admin/rate-card', { body: { csv: await readFile(csv), replace_all: replaces } })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      setFile(null);
      setReplaces(false);
      void queries.invalidateQueries({ queryKey: ['rate-card'] });
    },
    onError: (error) => (faultsOf(error).length > 0 ? shownByForm : notifyError)(error),
  });
  const faults = faultsOf(save.error);
  return (
    <TitledCard title="Upload">
      <Form onSubmit={() => undefined}>
        <Text size="sm">
          Take the CSV that Meta publishes for your currency and add the columns <Code>prefix</Code> (calling codes, separated by spaces;{' '}
          <Code>*</Code> for all other markets) and <Code>valid_from</Code>. Rates from today on are replaced; costs of past days do not
          change.
        </Text>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {EXAMPLE}
        </Code>
        <FileField
          label="CSV file"
          accept=".csv,text/csv,text/plain"
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the file' }}
          value={file}
          onChange={(chosen) => {
            save.reset();
            setFile(chosen);
          }}
        />
        <Switch
          label="Replace all rates, also past ones"
          description="Corrects mistakes: costs of past days change"
          checked={replaces}
          onChange={(e) => setReplaces(e.currentTarget.checked)}
        />
        {faults.length > 0 && (
          <Alert color="red" role="alert" title="Nothing was saved">
            <List size="sm">
              {faults.slice(0, FAULTS_SHOWN).map(({ field, message }) => (
                <List.Item key={`${field} ${message}`}>
                  {field} {message}
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        <ConfirmButton
          style={{ alignSelf: 'flex-start' }}
          disabled={file === null}
          loading={save.isPending}
          question={replaces ? 'Replace all rates?' : 'Replace the rates from today on?'}
          consequence={replaces ? 'Costs of past days change for every business.' : 'Every business sees the new costs at once.'}
          onConfirm={() => file && save.mutate(file)}
        >
          Save the rate card
        </ConfirmButton>
      </Form>
    </TitledCard>
  );
}

const faultsOf = (error: Error | null) => (error instanceof ApiError ? error.details : []);
