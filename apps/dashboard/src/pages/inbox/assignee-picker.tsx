import { Box, Button, Combobox, Group, Text, useCombobox } from '@mantine/core';
import { IconCheck, IconChevronDown, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMe } from '../../api/session';
import { teamQuery } from '../../api/team';
import type { Conversation } from './conversation';

export const FORMER = 'Former colleague';
/** No user has an empty id. */
const NOBODY = '';

/** Assigns the conversation to a colleague, whom a search finds in a large team. */
export function AssigneePicker({
  assignedTo,
  onAssign,
}: {
  assignedTo: Conversation['assigned_to'];
  onAssign: (id: number | null) => void;
}) {
  const { user } = useMe();
  const team = useQuery({ ...teamQuery, staleTime: 60_000, refetchInterval: 60_000 });
  const [text, setText] = useState('');
  const picker = useCombobox({
    onDropdownOpen: () => picker.focusSearchInput(),
    onDropdownClose: () => {
      picker.resetSelectedOption();
      picker.focusTarget();
      setText('');
    },
  });
  const people = (team.data?.users ?? [])
    .map((one) => ({ value: String(one.id), label: one.id === user.id ? `${one.name} (you)` : one.name, isUser: one.id === user.id }))
    .sort((a, b) => Number(b.isUser) - Number(a.isUser) || a.label.localeCompare(b.label));
  const words = text.trim().toLowerCase();
  const choices = [...people.slice(0, 1), ...(assignedTo ? [{ value: NOBODY, label: 'Nobody' }] : []), ...people.slice(1)];
  const found = choices.filter(({ label }) => label.toLowerCase().includes(words));
  const name = assignedTo && (assignedTo.name || FORMER);
  return (
    <Combobox
      store={picker}
      width="max-content"
      position="bottom-end"
      portalProps={{ target: 'main' }}
      onOptionSubmit={(value) => {
        onAssign(value === NOBODY ? null : Number(value));
        picker.closeDropdown();
      }}
    >
      <Combobox.Target withAriaAttributes={false}>
        <Button
          variant="default"
          size="xs"
          px={8}
          rightSection={<IconChevronDown size={14} />}
          aria-label={name ? `Assigned to ${name}` : 'Assign to a colleague'}
          aria-haspopup="listbox"
          aria-expanded={picker.dropdownOpened}
          onClick={() => picker.toggleDropdown()}
        >
          <Box hiddenFrom="xs" lh={0}>
            <IconUserPlus size={16} />
          </Box>
          <Text size="sm" maw={110} truncate inherit visibleFrom="xs">
            {name ?? 'Assign'}
          </Text>
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown miw={220} maw="min(360px, calc(100vw - 32px))">
        <Combobox.Search
          role="combobox"
          aria-expanded
          aria-label="Search for a colleague"
          placeholder="Name"
          value={text}
          onChange={(e) => {
            setText(e.currentTarget.value);
            picker.updateSelectedOptionIndex();
          }}
        />
        <Combobox.Options aria-label="Colleagues" mah={280} style={{ overflowY: 'auto' }}>
          {found.map(({ value, label }) => (
            <Combobox.Option key={value} value={value} active={value === String(assignedTo?.id)}>
              <Group gap={8} wrap="nowrap">
                {value === String(assignedTo?.id) ? (
                  <IconCheck size={14} style={{ flexShrink: 0 }} />
                ) : (
                  <Box w={14} style={{ flexShrink: 0 }} />
                )}
                <bdi style={{ overflowWrap: 'anywhere' }}>{label}</bdi>
              </Group>
            </Combobox.Option>
          ))}
          {found.length === 0 && <Combobox.Empty>No colleague has this name.</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
