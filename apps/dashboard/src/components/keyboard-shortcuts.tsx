import '@mantine/core/styles/Kbd.css';
import '@mantine/core/styles/Mark.css';
import '@mantine/spotlight/styles.css';
import { Button, Kbd, Table, Text, useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightFilterFunction } from '@mantine/spotlight';
import { IconKeyboard, IconLogout, IconMoonStars, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { mayCall, useLogout, useMe, type Route } from '../api/session';
import { pagesOf } from '../navigation';
import { areSingleKeysOn, switchSingleKeys } from './single-keys';
import { usePaletteResults } from './use-palette-results';
import { Modal } from './modal';

function ShortcutRow({ keys, children }: { keys: string[]; children: string }) {
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {keys.map((key) => (
          <Kbd key={key} mr={4}>
            {key}
          </Kbd>
        ))}
      </Table.Td>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}

/** A button, because a switch is code that every page would load. It stands above the list, which is longer than most windows. */
function SingleKeysButton() {
  const [isOn, setOn] = useState(areSingleKeysOn);
  const change = () => {
    switchSingleKeys(!isOn);
    setOn(!isOn);
  };
  return (
    <>
      <Button variant="default" size="xs" mb={4} onClick={change}>
        {isOn ? 'Switch off keys without Ctrl' : 'Switch on keys without Ctrl'}
      </Button>
      <Text size="xs" c="dimmed" mb="xs">
        For this browser. Ctrl K finds this list without them.
      </Text>
    </>
  );
}

const PLACEHOLDER = 'Find a customer, message, template or page';
const ICON = { size: 18, 'aria-hidden': true } as const;

/** Keeps the order of the groups. */
const filterInOrder: SpotlightFilterFunction = (query, all) =>
  all.flatMap((entry) => {
    if (!('actions' in entry)) return [];
    const text = query.trim().toLowerCase();
    const actions = entry.actions.filter(({ label, keywords }) =>
      [label, keywords].some((one) => String(one).toLowerCase().includes(text)),
    );
    return actions.length > 0 ? [{ ...entry, actions }] : [];
  });

interface Help {
  isOpen: boolean;
  open: () => void;
  close: () => void;
}

/**
 * The `Ctrl K` palette and the list of shortcuts. `useShortcuts` handles keys before this component has loaded.
 * @param requests how often the palette was requested
 */
export function Keyboard({ requests, help }: { requests: number; help: Help }) {
  const { role } = useMe().user;
  const navigate = useNavigate();
  const logout = useLogout();
  const { toggleColorScheme } = useMantineColorScheme();
  const pages = pagesOf(role);
  // Open only after mounting: a dialog that opens with the mount cannot restore the focus.
  useEffect(() => {
    if (requests > 0) spotlight.open();
  }, [requests]);
  const open = (to: string) => void navigate({ to });
  const chosen = useRef<() => void>(undefined);
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const { groups, isSearching } = usePaletteResults(text, (to, search) => {
    chosen.current = () => void navigate({ to, search: search as never });
  });
  // The palette selects its first row when the text changes, and these rows come later.
  useEffect(() => {
    if (!document.querySelector('[data-action][data-selected]'))
      field.current?.dispatchEvent(new KeyboardEvent('keydown', { code: 'ArrowDown', bubbles: true }));
  }, [groups.flatMap(({ actions }) => actions.map(({ id }) => id)).join()]);
  const action = (label: string, icon: typeof IconPlus, run: () => void) => {
    const Icon = icon;
    return { id: label, label, leftSection: <Icon {...ICON} />, onClick: () => (chosen.current = run) };
  };
  const make = (label: string, to: string, route: Route) =>
    mayCall(role, route) ? [action(label, IconPlus, () => void navigate({ to, search: { new: 'yes' } as never }))] : [];
  return (
    <>
      <Spotlight
        // Mantine’s half-transparent description has too little contrast on the chosen result.
        styles={{ actionDescription: { opacity: 1 } }}
        actions={[
          { group: 'Pages', actions: pages.map(({ label, icon, to }) => action(label, icon, () => open(to))) },
          {
            group: 'Actions',
            actions: [
              ...make('New broadcast', '/broadcasts', 'POST /api/client/broadcasts'),
              ...make('Create an API key', '/api-keys', 'POST /api/client/api-keys'),
              ...make('Add a webhook', '/webhooks', 'POST /api/client/webhooks'),
              action('Switch between light and dark', IconMoonStars, toggleColorScheme),
              action('Show keyboard shortcuts', IconKeyboard, help.open),
              action('Log out', IconLogout, () => void logout()),
            ],
          },
          ...groups,
        ]}
        onQueryChange={setText}
        filter={filterInOrder}
        searchProps={{ ref: field, placeholder: PLACEHOLDER, 'aria-label': PLACEHOLDER }}
        shortcut={null}
        nothingFound={isSearching ? 'Searching…' : 'No results'}
        attributes={{ content: { 'aria-label': PLACEHOLDER } }}
        highlightQuery
        scrollable
        maxHeight="60vh"
        // By default it blurs the page, which is slow without a graphics card.
        overlayProps={{ backgroundOpacity: 0.35 }}
        transitionProps={{
          duration: 100,
          // By now the palette has restored the focus, so the action may move it.
          onExited: () => {
            chosen.current?.();
            chosen.current = undefined;
          },
        }}
      />
      <Modal opened={help.isOpen} onClose={help.close} title="Keyboard shortcuts">
        <SingleKeysButton />
        <Table>
          <Table.Tbody>
            <ShortcutRow keys={['Ctrl or ⌘', 'K']}>{PLACEHOLDER}</ShortcutRow>
            {pages.map(({ to, label, key }) => (
              <ShortcutRow key={to} keys={['g', key]}>
                {label}
              </ShortcutRow>
            ))}
            {role !== 'operator' && (
              <>
                <ShortcutRow keys={['j', 'k']}>Inbox: next and previous conversation</ShortcutRow>
                <ShortcutRow keys={['r']}>Inbox: reply</ShortcutRow>
                <ShortcutRow keys={['e']}>Inbox: close or reopen</ShortcutRow>
                <ShortcutRow keys={['/']}>Inbox: search</ShortcutRow>
              </>
            )}
            <ShortcutRow keys={['?']}>Show these shortcuts</ShortcutRow>
            <ShortcutRow keys={['Esc']}>Close, or leave a reply or a search</ShortcutRow>
          </Table.Tbody>
        </Table>
      </Modal>
    </>
  );
}
