import { Badge, Button, Group, Table, Text, TextInput, Select, type SelectProps } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, shownByForm } from '../../api/client';
import { useMayCall, useMe, type Role } from '../../api/session';
import { teamQuery } from '../../api/team';
import { DataTable } from '../../components/data-table';
import { QueryResult } from '../../components/query-result';
import { ConfirmButton } from '../../components/confirm-button';
import { TurnTotpOff } from '../../components/turn-totp-off';
import { LinkShownOnce, type PersonalLink } from '../../components/link-shown-once';
import { FirstRows } from '../../components/first-rows';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { personShown } from '../../components/person-shown';
import { TitledCard } from '../../components/titled-card';
import { useChange } from '../../api/use-change';
import { useKeptState } from '../../api/use-kept-state';
import { TYPED } from '../../components/typed-text';

export type TeamRole = Exclude<Role, 'operator'>;
const ROLES: TeamRole[] = ['agent', 'manager', 'owner'];

interface RoleSelectProps extends Pick<SelectProps, 'label' | 'error' | 'description' | 'aria-label' | 'size' | 'miw'> {
  role: TeamRole;
  onChange: (role: TeamRole) => void;
}

function RoleSelect({ role, onChange, ...props }: RoleSelectProps) {
  return (
    <Select {...props} data={ROLES} value={role} allowDeselect={false} onChange={(chosen) => chosen && onChange(chosen as TeamRole)} />
  );
}

export function Team() {
  const { user } = useMe();
  const mayChange = useMayCall('POST /api/client/team');
  const [link, setLink] = useState<PersonalLink | null>(null);
  const list = useQuery(teamQuery);
  const reset = useMutation({
    mutationFn: (id: number) => request(api.POST('/api/client/team/{id}/reset', { params: { path: { id } } })),
    onSuccess: ({ reset_url, expires_at, message }) => setLink({ url: reset_url, expires_at, message }),
  });
  const change = useChange(
    ({ id, role }: { id: number; role: TeamRole }) =>
      request(api.PATCH('/api/client/team/{id}', { params: { path: { id } }, body: { role } })),
    'team',
  );
  /** The chosen role until the list has it. */
  const roleOf = ({ id, role }: { id: number; role: TeamRole }) =>
    change.variables?.id === id && (change.isPending || (change.isSuccess && list.isFetching)) ? change.variables.role : role;
  const removeTotp = useChange((id: number) => request(api.DELETE('/api/client/team/{id}/totp', { params: { path: { id } } })), 'team');
  const remove = useChange((id: number) => request(api.DELETE('/api/client/team/{id}', { params: { path: { id } } })), 'team');
  return (
    <TitledCard title="Team">
      <QueryResult query={list} rows={2}>
        {({ users }) => (
          <FirstRows rows={users} textOf={({ name, email }) => `${name} ${email}`} search="Name or email">
            {(shown) => (
              <DataTable minWidth={460}>
                {shown.map((one) => (
                  <Table.Tr key={one.id}>
                    <Table.Td>
                      <Text size="sm" {...TYPED}>
                        {one.name}
                      </Text>
                      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                        {one.email}
                      </Text>
                    </Table.Td>
                    <Table.Td w={132}>
                      <Group gap={6}>
                        {mayChange ? (
                          <RoleSelect
                            aria-label={`Role of ${one.name}`}
                            size="xs"
                            miw={96}
                            role={roleOf(one)}
                            onChange={(role) => change.mutate({ id: one.id, role })}
                          />
                        ) : (
                          one.role
                        )}
                        {one.invited && <Badge variant="default">invited</Badge>}
                        {one.totp && <Badge variant="default">two-step login</Badge>}
                      </Group>
                    </Table.Td>
                    <Table.Td ta="right" w={164}>
                      {mayChange && one.id !== user.id && (
                        <Group gap={6} justify="flex-end">
                          <ConfirmButton
                            size="compact-sm"
                            variant="default"
                            aria-label={`${one.invited ? 'New link' : 'Reset password'} for ${personShown(one)}`}
                            question={`Make a new link for ${one.name}?`}
                            consequence="They set a new password with it. Until then their old password works, and their previous link does not."
                            onConfirm={() => reset.mutate(one.id)}
                          >
                            {one.invited ? 'New link' : 'Reset password'}
                          </ConfirmButton>
                          {one.totp && <TurnTotpOff person={one} onConfirm={() => removeTotp.mutate(one.id)} />}
                          <ConfirmButton
                            size="compact-sm"
                            color="red"
                            variant="light"
                            aria-label={`Remove ${personShown(one)}`}
                            question={`Remove ${one.name}?`}
                            onConfirm={() => remove.mutate(one.id)}
                          >
                            Remove
                          </ConfirmButton>
                        </Group>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </DataTable>
            )}
          </FirstRows>
        )}
      </QueryResult>
      {mayChange && <InvitationForm onLink={setLink} />}
      <LinkShownOnce link={link} title="Personal link" done={() => setLink(null)} />
    </TitledCard>
  );
}

/** A component of its own, because a typed letter must not draw the whole team. */
function InvitationForm({ onLink }: { onLink: (link: PersonalLink) => void }) {
  const queries = useQueryClient();
  const nobody = { name: '', email: '', role: 'agent' as TeamRole };
  const [person, setPerson, , changePerson] = useKeptState('invitation', nobody);
  const invite = useMutation({
    mutationFn: (body: typeof person) => request(api.POST('/api/client/team', { body })),
    onError: shownByForm,
    onSuccess: ({ invite_url, expires_at, message }, sent) => {
      if (invite_url && expires_at) onLink({ url: invite_url, expires_at, message });
      changePerson((now) => (JSON.stringify(now) === JSON.stringify(sent) ? nobody : now));
      void queries.invalidateQueries({ queryKey: teamQuery.queryKey });
    },
  });
  return (
    <Form gap="xs" onSubmit={() => invite.mutate(person)} error={invite.error}>
      <Field name="name">
        <TextInput label="Name" required value={person.name} onChange={(e) => setPerson({ ...person, name: e.currentTarget.value })} />
      </Field>
      <Field name="email">
        <TextInput
          label="Email"
          type="email"
          required
          value={person.email}
          onChange={(e) => setPerson({ ...person, email: e.currentTarget.value })}
        />
      </Field>
      <Field name="role">
        <RoleSelect
          label="Role"
          description="An agent has the inbox, the message log and templates. A manager may do all but change the team, keys and the connection."
          role={person.role}
          onChange={(role) => setPerson({ ...person, role })}
        />
      </Field>
      <Button type="submit" variant="default" loading={invite.isPending}>
        Invite
      </Button>
    </Form>
  );
}
