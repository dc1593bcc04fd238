import { Button } from '@mantine/core';
import { useFormChanges } from '../../api/use-form-changes';
import { api, request, shownByForm, type Schemas } from '../../api/client';
import { ExpiryField } from '../../components/expiry-field';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { NumberField } from '../../components/number-field';
import { useChange } from '../../api/use-change';

export type Key = Schemas['BusinessDetail']['api_keys'][number];

export function KeyLimits({ apiKey, done }: { apiKey: Key; done: () => void }) {
  const { per_minute_limit, daily_limit, expires_at } = apiKey;
  // A limit in the request stops following the plan, so send only changed limits.
  const form = useFormChanges({ per_minute_limit, daily_limit, expires_at });
  const { draft, set } = form;
  const { expires_at: expiry, ...limits } = form.changes;
  const changes = { ...limits, ...(expiry === null && { never_expires: true }), ...(expiry && { expires_at: expiry }) };
  const save = useChange(
    () => request(api.PATCH('/api/admin/api-keys/{id}', { params: { path: { id: apiKey.id } }, body: changes })),
    'business',
    shownByForm,
  );
  return (
    <Form onSubmit={() => save.mutate(undefined, { onSuccess: done })} error={save.error}>
      <Field name="per_minute_limit">
        <NumberField
          label="Requests a minute"
          min={1}
          max={100_000}
          value={draft.per_minute_limit}
          onChange={(value) => set({ per_minute_limit: value })}
        />
      </Field>
      <Field name="daily_limit">
        <NumberField
          label="Messages a day"
          min={1}
          max={100_000}
          value={draft.daily_limit}
          onChange={(value) => set({ daily_limit: value })}
        />
      </Field>
      <Field name="expires_at">
        <ExpiryField
          label="Expires"
          description="Software that uses the key stops working then. Leave it empty for a key that never expires."
          value={draft.expires_at}
          onChange={(at) => set({ expires_at: at })}
        />
      </Field>
      <Button loading={save.isPending} disabled={Object.keys(changes).length === 0} type="submit">
        Save
      </Button>
    </Form>
  );
}
