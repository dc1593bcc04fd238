import '@mantine/core/styles/Kbd.css';
import '@mantine/spotlight/styles.css';
import { Kbd, Modal, Table, useMantineColorScheme } from '@mantine/core';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { IconKeyboard, IconLogout, IconMoonStars, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useLogout, useMe } from '../api/session';
import { pagesOf } from '../navigation';

const ICON = { size: 18, 'aria-hidden': true } as const;

interface Help {
  isOpen: boolean;
  open: () => void;
  close: () => void;
}

/**
 * The palette of `Ctrl K`, and the list of keys (friendliness F23); `useShortcuts` hears them before this is loaded.
 * @param asked how often the palette was asked for
 */
export function Keyboard({ asked, help }: { asked: number; help: Help }) {
  const me = useMe();
  const navigate = useNavigate();
  const logout = useLogout();
  const { toggleColorScheme } = useMantineColorScheme();
  const pages = pagesOf(me);
  // Once it is there: only what opens after that gives the focus back to where it was.
  useEffect(() => {
    if (asked > 0) spotlight.open();
  }, [asked]);
  const open = (to: string) => void navigate({ to });
  const chosen = useRef<() => void>(undefined);
  const action = (label: string, icon: typeof IconPlus, run: () => void) => {
    const Icon = icon;
    return { id: label, label, leftSection: <Icon {...ICON} />, onClick: () => (chosen.current = run) };
  };
  const make = (label: string, to: string) => action(label, IconPlus, () => void navigate({ to, search: { new: 'yes' } as never }));
  const isOwner = me.user.role === 'owner';
  return (
    <>
      <Spotlight
        actions={[
          { group: 'Pages', actions: pages.map(({ label, icon, to }) => action(label, icon, () => open(to))) },
          {
            group: 'Actions',
            actions: [
              ...(me.business ? [make('New broadcast', '/broadcasts')] : []),
              ...(isOwner ? [make('Create an API key', '/api-keys'), make('Add a webhook', '/webhooks')] : []),
              action('Change between light and dark', IconMoonStars, toggleColorScheme),
              action('Show the keys of the keyboard', IconKeyboard, help.open),
              action('Log out', IconLogout, () => void logout()),
            ],
          },
        ]}
        searchProps={{ placeholder: 'Find a page or an action', 'aria-label': 'Find a page or an action' }}
        shortcut={null}
        nothingFound="Nothing has that name"
        attributes={{ content: { 'aria-label': 'Find a page or an action' } }}
        highlightQuery
        scrollable
        maxHeight="60vh"
        transitionProps={{
          duration: 100,
          // The focus has gone back by then: what the action opens can have it.
          onExited: () => {
            chosen.current?.();
            chosen.current = undefined;
          },
        }}
      />
      <Modal opened={help.isOpen} onClose={help.close} title="Keys of the keyboard">
        <Table>
          <Table.Tbody>
            <Row keys={['Ctrl or ⌘', 'K']}>Find a page or an action</Row>
            {pages.map(({ to, label, key }) => (
              <Row key={to} keys={['g', key]}>
                {label}
              </Row>
            ))}
            <Row keys={['?']}>These keys</Row>
            <Row keys={['Esc']}>Close what is open</Row>
          </Table.Tbody>
        </Table>
      </Modal>
    </>
  );
}

function Row({ keys, children }: { keys: string[]; children: string }) {
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
