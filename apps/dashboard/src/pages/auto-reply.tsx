import { Button, Card, Grid, Group, PasswordInput, Stack, Switch, Table, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useChanges } from '../api/changes';
import { api, ask, praise, type Schemas } from '../api/client';
import { useMe } from '../api/session';
import { Ago, PhoneBubble, State, Wallpaper, NumberField } from '../components/bits';
import { More, usePages } from '../components/pages';
import { Empty, Loaded, PageTitle } from '../components/states';

export function AutoReplyPage() {
  const settings = useQuery({ queryKey: ['auto-reply'], queryFn: () => ask(api.GET('/api/client/auto-reply')) });
  return (
    <>
      <PageTitle title="Auto-reply" about="A language model answers customers within the 24-hour window" />
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Loaded query={settings}>{(data) => <Form settings={data} />}</Loaded>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <Try />
            <Recent />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Form({ settings }: { settings: Schemas['AutoReply'] }) {
  const queries = useQueryClient();
  const { user } = useMe();
  const { draft, set, changes, done } = useChanges(settings);
  const [key, setKey] = useState('');
  const save = useMutation({
    mutationFn: (sent: typeof changes) => ask(api.PUT('/api/client/auto-reply', { body: { ...sent, ...(key && { api_key: key }) } })),
    onSuccess: async ({ message }, sent) => {
      praise(message);
      setKey('');
      await queries.invalidateQueries({ queryKey: ['auto-reply'] });
      done(sent);
    },
  });
  const disabled = user.role !== 'owner';
  return (
    <Card withBorder>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(changes);
        }}
      >
        <Stack>
          <Switch
            label="Answer customers"
            checked={draft.enabled}
            disabled={disabled}
            onChange={(e) => set({ enabled: e.currentTarget.checked })}
          />
          <Textarea
            label="Instructions"
            description="Who the model speaks for, what it knows, what it must not promise"
            autosize
            minRows={5}
            value={draft.instructions}
            disabled={disabled}
            onChange={(e) => set({ instructions: e.currentTarget.value })}
          />
          <TextInput label="Model" value={draft.model} disabled={disabled} onChange={(e) => set({ model: e.currentTarget.value })} />
          <TextInput
            label="Address of the model"
            description="Of an OpenAI-compatible API; empty: the one of this installation"
            value={draft.base_url ?? ''}
            disabled={disabled}
            onChange={(e) => set({ base_url: e.currentTarget.value || null })}
          />
          <PasswordInput
            label="Key of the model"
            description={draft.has_api_key ? 'One is set. It is never shown.' : 'None is set.'}
            value={key}
            disabled={disabled}
            onChange={(e) => setKey(e.currentTarget.value)}
          />
          <NumberField
            label="Replies within 24 hours at most"
            min={0}
            value={draft.daily_limit}
            disabled={disabled}
            onChange={(value) => set({ daily_limit: value })}
          />
          <NumberField
            label="Silent for so many minutes after an agent wrote"
            min={0}
            value={draft.quiet_when_agent_active_minutes}
            disabled={disabled}
            onChange={(value) => set({ quiet_when_agent_active_minutes: value })}
          />
          <Button type="submit" loading={save.isPending} disabled={disabled}>
            Save
          </Button>
        </Stack>
      </form>
    </Card>
  );
}

function Try() {
  const [text, setText] = useState('');
  const attempt = useMutation({ mutationFn: (asked: string) => ask(api.POST('/api/client/auto-reply/try', { body: { text: asked } })) });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Try it
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate(text);
        }}
      >
        <Stack>
          <TextInput
            aria-label="A customer’s message"
            placeholder="Are you open on Sunday?"
            value={text}
            onChange={(e) => setText(e.currentTarget.value)}
          />
          {attempt.data && (
            <Wallpaper>
              <PhoneBubble mine={false} text={attempt.variables} />
              <PhoneBubble text={attempt.data.reply} meta="not sent" />
            </Wallpaper>
          )}
          <Button type="submit" variant="default" loading={attempt.isPending} disabled={!text.trim()}>
            Ask the model
          </Button>
        </Stack>
      </form>
    </Card>
  );
}

function Recent() {
  const list = usePages({
    queryKey: ['auto-reply', 'replies'],
    load: (query) => ask(api.GET('/api/client/auto-reply/replies', { params: { query } })),
    rows: (page) => page.replies,
    refetchInterval: 5_000,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Recent
      </Title>
      <Loaded query={list} rows={3}>
        {(replies) =>
          replies.length === 0 ? (
            <Empty title="Nothing was answered yet">Switch it on, and write as a customer.</Empty>
          ) : (
            <Table>
              <Table.Tbody>
                {replies.map((reply) => (
                  <Table.Tr key={reply.id}>
                    <Table.Td>
                      <Text size="sm" fw={600}>
                        {reply.question}
                      </Text>
                      <Text size="sm" c="dimmed">
                        {reply.reply ?? reply.reason}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <State of={reply.state} />
                    </Table.Td>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>
                      <Ago at={reply.at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
      <Group mt="sm">
        <More list={list}>Older ones</More>
      </Group>
    </Card>
  );
}
