import { Select, Switch, TagsInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useKeptFormChanges } from '../../api/use-form-changes';
import { api, request, notifySuccess, shownByForm, type Schemas } from '../../api/client';
import { useMe } from '../../api/session';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { SaveChanges } from '../../components/save-changes';
import { TitledCard } from '../../components/titled-card';

const RESETS = 'Daily limits reset at midnight in this zone. A new zone takes effect at the next midnight of the old one.';

function zoneHint({ timezone, timezone_now, timezone_from }: Schemas['Settings']): string {
  if (timezone_now === undefined || timezone_from === undefined) return RESETS;
  const from = new Date(timezone_from).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: timezone_now });
  return `${timezone_now} applies until ${from} there, then ${timezone}.`;
}

export function BusinessRules({ settings }: { settings: Schemas['Settings'] }) {
  const queries = useQueryClient();
  const { user } = useMe();
  const save = useMutation({
    mutationFn: (sent: Partial<Schemas['Settings']>) => request(api.PUT('/api/client/settings', { body: sent })),
    onError: shownByForm,
    onSuccess: async ({ message }, sent) => {
      notifySuccess(message);
      await Promise.all(['settings', 'me'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      done(sent);
    },
  });
  const { draft, set, changes, isOutdated, discard, done } = useKeptFormChanges('rules form', settings, save.isPending);
  return (
    <TitledCard title="Rules">
      <Form onSubmit={() => save.mutate(changes)} error={save.error}>
        <Field name="timezone">
          <Select
            label="Time zone"
            description={zoneHint(settings)}
            searchable
            data={
              Intl.supportedValuesOf('timeZone').includes(draft.timezone)
                ? Intl.supportedValuesOf('timeZone')
                : [draft.timezone, ...Intl.supportedValuesOf('timeZone')]
            }
            value={draft.timezone}
            onChange={(timezone) => timezone && set({ timezone })}
          />
        </Field>
        <Field name="stop_words">
          <TagsInput
            label="Opt-out words"
            description="A word counts only if it is the customer’s whole message"
            value={draft.stop_words}
            onChange={(stop_words) => set({ stop_words })}
          />
        </Field>
        <Field name="start_words">
          <TagsInput label="Opt-in words" value={draft.start_words} onChange={(start_words) => set({ start_words })} />
        </Field>
        <Switch
          label="Send one-time passwords to opted-out contacts too"
          checked={draft.otp_to_opted_out}
          onChange={(e) => set({ otp_to_opted_out: e.currentTarget.checked })}
        />
        <Switch
          label="Mark messages as read when somebody opens the conversation"
          checked={draft.mark_read_on_open}
          onChange={(e) => set({ mark_read_on_open: e.currentTarget.checked })}
        />
        <Switch
          label="Require two-step login of everybody in the team"
          checked={draft.require_totp}
          disabled={user.role !== 'owner'}
          onChange={(e) => set({ require_totp: e.currentTarget.checked })}
        />
        <SaveChanges changes={changes} isOutdated={isOutdated} isSaving={save.isPending} discard={discard} />
      </Form>
    </TitledCard>
  );
}
