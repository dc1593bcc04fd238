import { Alert, Button, FileInput, List, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCreateBroadcast } from '../../api/use-create-broadcast';
import { api, request, notifySuccess } from '../../api/client';
import { number } from '../../components/format-number';
import { DailyLimitNotice } from './daily-limit-notice';
import { csvFile } from '../../components/csv-file';
/** The largest number of wrong cells that a response names. */
const ROW_FAULTS_SHOWN = 100;

const PER_SECOND = 40;

export function CreateBroadcast({ done }: { done: (id: number) => void }) {
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => request(api.GET('/api/client/templates')) });
  const [name, setName] = useState('');
  const [template, setTemplate] = useState<string | null>(null);
  const [csv, setCsv] = useState('');
  const [template_name = '', language = 'en'] = template?.split('/') ?? [];
  const body = { template_name, language, csv };
  const check = useMutation({ mutationFn: () => request(api.POST('/api/client/broadcasts/check', { body })) });
  const start = useCreateBroadcast(({ id, message }) => {
    notifySuccess(message);
    done(id);
  });
  const options = (templates.data?.templates ?? [])
    .filter(({ status, category }) => status === 'APPROVED' && category !== 'AUTHENTICATION')
    .map((one) => ({ value: `${one.name}/${one.language}`, label: `${one.name} (${one.language})` }));
  const chosen = templates.data?.templates.find((one) => `${one.name}/${one.language}` === template);
  const tooMany = check.data !== undefined && check.data.total > check.data.daily_limit.left;
  const good = check.data && check.data.wrong === 0;
  const change = (text: string) => {
    setCsv(text);
    check.reset();
  };
  return (
    <Stack>
      <TextInput label="Name" placeholder="Autumn offers" value={name} onChange={(e) => setName(e.currentTarget.value)} />
      <Select
        label="Template"
        searchable
        data={options}
        value={template}
        onChange={(value) => {
          setTemplate(value);
          check.reset();
        }}
      />
      {chosen && (
        <Text size="sm" c="dimmed">
          {chosen.content}
        </Text>
      )}
      <FileInput
        label="Recipients"
        placeholder="CSV file with the columns phone, then one for each variable"
        accept=".csv,text/csv,text/plain"
        leftSection={<IconUpload size={16} />}
        onChange={(file) => void file?.text().then(change)}
      />
      <Textarea
        aria-label="Or paste the rows here"
        placeholder={'phone,name,order\n+91 98765 43210,Asha,1007'}
        autosize
        minRows={3}
        maxRows={10}
        value={csv}
        onChange={(e) => change(e.currentTarget.value)}
      />
      <Button variant="default" disabled={!template || !csv} loading={check.isPending} onClick={() => check.mutate()}>
        Check every row
      </Button>
      {check.data &&
        (good ? (
          <Alert color="green" title={`All ${number(check.data.total)} rows are valid`}>
            Sending takes about {Math.max(1, Math.ceil(check.data.total / PER_SECOND))} seconds.
          </Alert>
        ) : (
          <Alert color="red" title={`${number(check.data.wrong)} of ${number(check.data.total)} rows are invalid`} role="alert">
            <List size="sm">
              {check.data.faults.slice(0, 20).map(({ line, field, message }) => (
                <List.Item key={`${line}${field}`}>
                  Line {line}: {field} {message}
                </List.Item>
              ))}
            </List>
            <Button
              mt="sm"
              size="xs"
              variant="default"
              leftSection={<IconDownload size={16} />}
              component="a"
              href={csvFile([['line', 'field', 'error'], ...check.data.faults.map(({ line, field, message }) => [line, field, message])])}
              download="broadcast-errors.csv"
            >
              {check.data.faults.length < ROW_FAULTS_SHOWN
                ? 'Download the errors as CSV'
                : `Download the first ${ROW_FAULTS_SHOWN} errors as CSV`}
            </Button>
          </Alert>
        ))}
      {check.data && <DailyLimitNotice {...check.data.daily_limit} tooMany={tooMany} />}
      <Button disabled={!good || tooMany || !name} loading={start.isPending} onClick={() => start.mutate({ ...body, name })}>
        Start sending
      </Button>
    </Stack>
  );
}
