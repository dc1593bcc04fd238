import { Alert, Card, Switch, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useKeptFormChanges } from '../../api/use-form-changes';
import { api, request, notifySuccess, shownByForm, type Schemas } from '../../api/client';
import { NumberField } from '../../components/number-field';
import { SaveChanges } from '../../components/save-changes';
import { Field } from '../../components/field';
import { invalidIf } from '../../components/words-of-fault';
import { Form } from '../../components/form';
import { PasswordField } from '../../components/password-field';

/** Describes the key field. The gateway removes a stored key when the model's URL moves to another host. */
function keyHint({ has_api_key, base_url }: Schemas['AutoReply'], wanted: string | null): string {
  if (!has_api_key) return 'Not set.';
  return originOf(wanted) === originOf(base_url)
    ? 'Set. It is never shown.'
    : 'The stored key is for the previous URL and will be removed. Enter the key for the new one.';
}

const originOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).origin : url);

const AMOUNT = /^\d{1,6}(\.\d{1,6})?$/;

export function AutoReplyForm({ settings }: { settings: Schemas['AutoReply'] }) {
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const currency = settings.costs?.currency ?? null;
  const save = useMutation({
    mutationFn: (sent: Partial<Schemas['AutoReply']>) =>
      request(api.PUT('/api/client/auto-reply', { body: { ...sent, ...(key && { api_key: key }) } })),
    onError: shownByForm,
    onSuccess: async ({ message }, sent) => {
      notifySuccess(message);
      setKey('');
      await queries.invalidateQueries({ queryKey: ['auto-reply'] });
      done(sent);
    },
  });
  const { draft, set, changes, isOutdated, discard, done } = useKeptFormChanges('auto-reply form', settings, save.isPending);
  const cost = draft.daily_cost_limit;
  return (
    <Card withBorder>
      <Form onSubmit={() => save.mutate(changes)} error={save.error}>
        <Switch
          label="Reply to customers automatically"
          checked={draft.enabled}
          onChange={(e) => set({ enabled: e.currentTarget.checked })}
        />
        {draft.enabled && draft.instructions.trim() === '' && (
          <Alert color="yellow" title="There are no instructions">
            Without them the model knows nothing of your business and answers customers as it likes.
          </Alert>
        )}
        <Field name="instructions">
          <Textarea
            label="Instructions"
            description="Who the model speaks for, what it knows and what it must not promise"
            autosize
            minRows={5}
            value={draft.instructions}
            onChange={(e) => set({ instructions: e.currentTarget.value })}
          />
        </Field>
        <Field name="model">
          <TextInput label="Model" value={draft.model} onChange={(e) => set({ model: e.currentTarget.value })} />
        </Field>
        <Field name="base_url">
          <TextInput
            label="Model URL"
            description="Base URL of an OpenAI-compatible API; leave it empty to use this installation’s"
            value={draft.base_url ?? ''}
            onChange={(e) => set({ base_url: e.currentTarget.value || null })}
          />
        </Field>
        <Field name="api_key">
          <PasswordField
            label="Model API key"
            description={keyHint(settings, draft.base_url)}
            value={key}
            onChange={(e) => setKey(e.currentTarget.value)}
          />
        </Field>
        <Field name="daily_limit">
          <NumberField label="Reply limit (24 hours)" min={0} value={draft.daily_limit} onChange={(value) => set({ daily_limit: value })} />
        </Field>
        <Field name="daily_cost_limit">
          <TextInput
            label={`Cost limit (a day${currency === null ? '' : `, ${currency}`})`}
            description={
              currency === null
                ? 'The operator has not loaded a rate card: with a limit no reply is sent'
                : 'Empty for none. Each reply counts at the rate of service messages, and one without a rate is not sent'
            }
            inputMode="decimal"
            placeholder="No limit"
            ref={invalidIf(cost !== null && !AMOUNT.test(cost) && 'Write an amount with a decimal point, such as 12.5.')}
            value={cost ?? ''}
            onChange={(e) => set({ daily_cost_limit: e.currentTarget.value.trim() || null })}
          />
        </Field>
        <Field name="quiet_when_agent_active_minutes">
          <NumberField
            label="Pause after an agent replies (minutes)"
            min={0}
            value={draft.quiet_when_agent_active_minutes}
            onChange={(value) => set({ quiet_when_agent_active_minutes: value })}
          />
        </Field>
        <Switch
          label="Show customers that a reply is being written"
          description="Also marks their message as read"
          checked={draft.show_typing}
          onChange={(e) => set({ show_typing: e.currentTarget.checked })}
        />
        <SaveChanges changes={changes} isOutdated={isOutdated} isSaving={save.isPending} discard={discard} />
      </Form>
    </Card>
  );
}
