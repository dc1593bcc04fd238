import { Alert, Button, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, notifySuccess, shownByForm } from '../../api/client';
import { keyOfRequest, newIdempotencyKey } from '../../api/idempotency-key';
import { type NewBusiness, type Plan, PLANS } from './plans';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { LinkShownOnce, type PersonalLink } from '../../components/link-shown-once';

export function CreateBusiness({
  begun,
  begin,
  done,
}: {
  begun: NewBusiness | null;
  begin: (begun: NewBusiness) => void;
  done: () => void;
}) {
  const queries = useQueryClient();
  const [name, setName] = useState(begun?.name ?? '');
  const [plan, setPlan] = useState<Plan>(begun?.plan ?? 'Growth');
  const [owner, setOwner] = useState({ email: '', name: '', password: '' });
  const [link, setLink] = useState<PersonalLink | null>(null);
  const [seed] = useState(newIdempotencyKey);
  const create = useMutation({
    mutationFn: async () => {
      const business = { name, plan };
      const header = { 'Idempotency-Key': keyOfRequest(seed, business) };
      const { id } = begun ?? (await request(api.POST('/api/admin/businesses', { params: { header }, body: business })));
      // If only the owner is refused, the retry creates only the owner.
      if (!begun) begin({ id, name, plan });
      const { password, ...person } = owner;
      const body = { ...person, ...(password && { password }), role: 'owner' as const };
      return request(api.POST('/api/admin/businesses/{id}/users', { params: { path: { id } }, body }));
    },
    onError: shownByForm,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['businesses'] }),
    onSuccess: ({ invite_url, expires_at }) => {
      if (invite_url && expires_at)
        return setLink({ url: invite_url, expires_at, message: 'Send this link to the owner, who sets a password with it.' });
      notifySuccess('The business and its owner were created.');
    },
  });
  return (
    <Form onSubmit={() => create.mutate(undefined, { onSuccess: ({ invite_url }) => !invite_url && done() })} error={create.error}>
      {begun && (
        <Alert role="status" color="yellow">
          {begun.name} was created; its owner is still to be.
        </Alert>
      )}
      <Field name={begun ? 'business' : 'name'}>
        <TextInput label="Name" required disabled={begun !== null} value={name} onChange={(e) => setName(e.currentTarget.value)} />
      </Field>
      <Field name="plan">
        <Select
          label="Plan"
          data={[...PLANS]}
          value={plan}
          allowDeselect={false}
          disabled={begun !== null}
          onChange={(value) => value && setPlan(value as Plan)}
        />
      </Field>
      <Field name={begun ? 'name' : 'owner'}>
        <TextInput label="Owner’s name" required value={owner.name} onChange={(e) => setOwner({ ...owner, name: e.currentTarget.value })} />
      </Field>
      <Field name="email">
        <TextInput
          label="Owner’s email"
          type="email"
          required
          value={owner.email}
          onChange={(e) => setOwner({ ...owner, email: e.currentTarget.value })}
        />
      </Field>
      <Field name="password">
        <TextInput
          label="Owner’s initial password"
          description="Leave it empty to get a link with which the owner sets one"
          type="password"
          minLength={8}
          value={owner.password}
          onChange={(e) => setOwner({ ...owner, password: e.currentTarget.value })}
        />
      </Field>
      <Button type="submit" loading={create.isPending}>
        Create
      </Button>
      <LinkShownOnce link={link} title="Invitation of the owner" done={done} />
    </Form>
  );
}
