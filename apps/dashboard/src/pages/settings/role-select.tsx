import { Select, type SelectProps } from '@mantine/core';
import type { Role } from '../../api/session';

export type TeamRole = Exclude<Role, 'operator'>;
const ROLES: TeamRole[] = ['agent', 'manager', 'owner'];

interface RoleSelectProps extends Pick<SelectProps, 'label' | 'description' | 'aria-label' | 'size' | 'miw'> {
  role: TeamRole;
  onChange: (role: TeamRole) => void;
}

export function RoleSelect({ role, onChange, ...props }: RoleSelectProps) {
  return (
    <Select {...props} data={ROLES} value={role} allowDeselect={false} onChange={(chosen) => chosen && onChange(chosen as TeamRole)} />
  );
}
