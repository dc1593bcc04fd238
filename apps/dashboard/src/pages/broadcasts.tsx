import {
  Alert,
  Button,
  Card,
  Drawer,
  FileInput,
  Group,
  List,
  Modal,
  Progress,
  Select,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconPlus, IconUpload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useCreateBroadcast } from '../api/broadcasts';
import { api, ask, praise } from '../api/client';
import { useLive } from '../api/live';
import { Ago, byKeyboard, number, State } from '../components/bits';
import { csvFile } from '../components/csv';
import { More, usePages } from '../components/pages';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/broadcasts');
const PER_SECOND = 40;
/** An answer names so many wrong cells at most. */
const FAULTS = 100;
/** How long the pace is measured over. */
const PACE_MS = 10_000;

/** How far a broadcast had come at a time. */
interface Look {
  at: number;
  done: number;
}

export function BroadcastsPage() {
  const search = route.useSearch() as { id?: string; new?: string };
  const navigate = route.useNavigate();
  useLive('broadcasts', ['broadcast.completed']);
  const list = usePages({
    queryKey: ['broadcasts'],
    load: (query) => ask(api.GET('/api/client/broadcasts', { params: { query } })),
    rows: ({ broadcasts }) => broadcasts,
    refetchInterval: (broadcasts) => (broadcasts.some(({ status }) => status === 'running') ? 1_000 : 10_000),
  });
  const set = (change: Record<string, string | undefined>) => void navigate({ search: { ...search, ...change } });
  return (
    <>
      <PageTitle title="Broadcasts" about="One template to many people, at a pace that WhatsApp allows">
        <Button leftSection={<IconPlus size={16} />} onClick={() => set({ new: 'yes' })}>
          New broadcast
        </Button>
      </PageTitle>
      <Loaded query={list}>
        {(broadcasts) =>
          broadcasts.length === 0 ? (
            <Empty title="Nothing was broadcast yet">
              Choose a template and a list of people, for example a CSV file with the columns phone, name, order. Every row is checked
              before anything is sent.
            </Empty>
          ) : (
            <Stack>
              {broadcasts.map((one) => (
                <Card
                  key={one.id}
                  withBorder
                  component="button"
                  type="button"
                  ta="left"
                  onClick={() => set({ id: String(one.id) })}
                  style={{ cursor: 'pointer' }}
                >
                  <Group justify="space-between" mb={6}>
                    <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                      <Text fw={600}>{one.name}</Text>
                      <Text size="sm" c="dimmed">
                        {one.template_name} · {number(one.total_recipients)} people · <Ago at={one.created_at} />
                      </Text>
                    </div>
                    <State of={one.status} />
                  </Group>
                  <Bar {...one} />
                </Card>
              ))}
              <More list={list}>Older broadcasts</More>
            </Stack>
          )
        }
      </Loaded>
      <Modal opened={search.new !== undefined} onClose={() => set({ new: undefined })} title="New broadcast" size="lg">
        {search.new !== undefined && <Create done={(id) => set({ new: undefined, id: String(id) })} />}
      </Modal>
      <Drawer opened={search.id !== undefined} onClose={() => set({ id: undefined })} position="right" size="lg" title="Broadcast">
        {search.id !== undefined && <Detail key={search.id} id={Number(search.id)} />}
      </Drawer>
    </>
  );
}

function Bar({ sent, failed, total_recipients: total }: { sent: number; failed: number; total_recipients: number }) {
  return (
    <>
      <Progress.Root size="lg" aria-label="Progress">
        <Progress.Section value={(sent / total) * 100} color="green" aria-label="Sent" />
        <Progress.Section value={(failed / total) * 100} color="red" aria-label="Failed" />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={4}>
        {number(sent)} sent · {number(failed)} failed · {number(total - sent - failed)} to go
      </Text>
    </>
  );
}

/** @returns messages a second; null as long as it is not known */
function paceOf(looks: Look[]): number | null {
  const [first, last] = [looks[0], looks[looks.length - 1]];
  return first && last && last.at > first.at ? ((last.done - first.done) / (last.at - first.at)) * 1_000 : null;
}

function Pace({ pace, pending }: { pace: number; pending: number }) {
  const left = pending / pace;
  return (
    <Text size="sm">
      {pace < 10 ? pace.toFixed(1) : Math.round(pace)} a second
      {pace > 0 && ` · about ${left < 90 ? `${Math.ceil(left)} seconds` : `${Math.ceil(left / 60)} minutes`} to go`}
    </Text>
  );
}

function Detail({ id }: { id: number }) {
  const queries = useQueryClient();
  const looks = useRef<Look[]>([]);
  const one = useQuery({
    queryKey: ['broadcasts', id],
    queryFn: async () => {
      const broadcast = await ask(api.GET('/api/client/broadcasts/{id}', { params: { path: { id } } }));
      const now = { at: Date.now(), done: broadcast.sent + broadcast.failed };
      looks.current = broadcast.status === 'running' ? [...looks.current.filter(({ at }) => at > now.at - PACE_MS), now] : [];
      return { ...broadcast, pace: paceOf(looks.current) };
    },
    refetchInterval: 1_000,
  });
  const recipients = usePages({
    queryKey: ['broadcasts', id, 'failed'],
    load: (page) =>
      ask(api.GET('/api/client/broadcasts/{id}/recipients', { params: { path: { id }, query: { state: 'failed', ...page } } })),
    rows: (page) => page.recipients,
    refetchInterval: 3_000,
  });
  const change = useMutation({
    mutationFn: (how: 'pause' | 'resume' | 'cancel') =>
      ask(api.POST(`/api/client/broadcasts/{id}/${how}`, { params: { path: { id } }, headers: { 'content-type': 'application/json' } })),
    onSuccess: ({ message }) => {
      praise(message);
      void queries.invalidateQueries({ queryKey: ['broadcasts'] });
    },
  });
  return (
    <Loaded query={one}>
      {(broadcast) => {
        const isPaused = broadcast.status === 'paused';
        return (
          <Stack>
            <Group justify="space-between">
              <Title order={3} size="h4" style={{ overflowWrap: 'anywhere' }}>
                {broadcast.name}
              </Title>
              <State of={broadcast.status} />
            </Group>
            <Bar {...broadcast} />
            {broadcast.pace !== null && <Pace pace={broadcast.pace} pending={broadcast.pending} />}
            {broadcast.finished_at === null && (
              <Group grow>
                <Button
                  variant="default"
                  leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
                  loading={change.isPending}
                  onClick={() => change.mutate(isPaused ? 'resume' : 'pause')}
                >
                  {isPaused ? 'Resume' : 'Pause'}
                </Button>
                <Button
                  color="red"
                  variant="light"
                  loading={change.isPending}
                  onClick={() => window.confirm(`Cancel ${broadcast.name} for good? What was sent stays sent.`) && change.mutate('cancel')}
                >
                  Cancel the broadcast
                </Button>
              </Group>
            )}
            {broadcast.failures.length > 0 && (
              <>
                <Title order={4} size="h5">
                  Why messages failed
                </Title>
                <List size="sm">
                  {broadcast.failures.map(({ reason, count }) => (
                    <List.Item key={reason}>
                      {number(count)} × {reason}
                    </List.Item>
                  ))}
                </List>
                <Table.ScrollContainer minWidth={360} scrollAreaProps={byKeyboard}>
                  <Table>
                    <Table.Tbody>
                      {recipients.data?.map(({ nth, phone, reason }) => (
                        <Table.Tr key={nth}>
                          <Table.Td>{phone}</Table.Td>
                          <Table.Td>{reason}</Table.Td>
                        </Table.Tr>
                      ))}
                    </Table.Tbody>
                  </Table>
                </Table.ScrollContainer>
                <More list={recipients}>More of them</More>
              </>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Create({ done }: { done: (id: number) => void }) {
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => ask(api.GET('/api/client/templates')) });
  const [name, setName] = useState('');
  const [template, setTemplate] = useState<string | null>(null);
  const [csv, setCsv] = useState('');
  const [template_name = '', language = 'en'] = template?.split('/') ?? [];
  const body = { template_name, language, csv };
  const check = useMutation({ mutationFn: () => ask(api.POST('/api/client/broadcasts/check', { body })) });
  const start = useCreateBroadcast(({ id, message }) => {
    praise(message);
    done(id);
  });
  const options = (templates.data?.templates ?? [])
    .filter(({ status, category }) => status === 'APPROVED' && category !== 'AUTHENTICATION')
    .map((one) => ({ value: `${one.name}/${one.language}`, label: `${one.name} (${one.language})` }));
  const chosen = templates.data?.templates.find((one) => `${one.name}/${one.language}` === template);
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
        label="People"
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
          <Alert color="green" title={`All ${number(check.data.total)} rows are good`}>
            Sending takes about {Math.max(1, Math.ceil(check.data.total / PER_SECOND))} seconds.
          </Alert>
        ) : (
          <Alert color="red" title={`${number(check.data.wrong)} of ${number(check.data.total)} rows are wrong`} role="alert">
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
              {check.data.faults.length < FAULTS ? 'Download the errors as CSV' : `Download the first ${FAULTS} errors as CSV`}
            </Button>
          </Alert>
        ))}
      <Button disabled={!good || !name} loading={start.isPending} onClick={() => start.mutate({ ...body, name })}>
        Start sending
      </Button>
    </Stack>
  );
}
