import {
  ActionIcon,
  AppShell,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { spotlight } from '@mantine/spotlight';
import { IconLogout, IconMoonStars, IconSearch, IconSettings, IconUserCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { meQuery, useLogout, useMayCall, useMe } from './api/session';
import { inboxCountShown, useUnreadCount } from './api/inbox-counts';
import { PlanBar } from './components/plan-bar';
import { useShortcuts } from './components/shortcuts';
import { pagesOf } from './navigation';
import { CapBanner } from './components/cap-banner';
import { OutdatedNotice } from './components/outdated-notice';
import { useKeptFocus } from './components/use-kept-focus';
import { useUnreadInTitle } from './components/use-title';

const Keyboard = lazy(() => import('./components/keyboard-shortcuts').then((module) => ({ default: module.Keyboard })));

/** A dropped file would replace the dashboard, even on a page that takes none. */
const keepPage = (event: DragEvent) => {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
};

/** The frame of every page: navigation, header and user menu. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { user, business } = useMe();
  const seesKeys = useMayCall('GET /api/client/api-keys');
  const { pathname } = useLocation();
  const { toggleColorScheme } = useMantineColorScheme();
  const logout = useLogout();
  const main = useMainFocus(pathname);
  useKeptScroll();
  const unread = useUnreadCount(business !== null);
  useUnreadInTitle(unread);
  useRoleChanges();
  // The inbox has panes, which fill the screen and scroll by themselves.
  const hasPanes = pathname === '/inbox';
  useWindowEvent('dragover', keepPage);
  useWindowEvent('drop', keepPage);
  const [isHelpOpen, help] = useDisclosure();
  const [paletteRequests, setPaletteRequests] = useState(0);
  useShortcuts({ help: help.open, palette: () => setPaletteRequests((times) => times + 1) });
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={hasPanes ? 0 : 'lg'}
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Button className="skip-link" size="sm" onClick={() => main.current?.focus()}>
              Skip to the content
            </Button>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Show or hide the navigation"
              aria-expanded={opened}
            />
            <img src="/icon.svg" width={28} height={28} alt="" />
            <Text fw={650} truncate title={business?.name}>
              {business?.name ?? 'Operator'}
            </Text>
            {business && (
              <Badge variant="default" visibleFrom="xs">
                {business.plan}
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Tooltip label="Ctrl K">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label="Find a customer, message, template or page"
                onClick={spotlight.open}
              >
                <IconSearch size={20} />
              </ActionIcon>
            </Tooltip>
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Switch between light and dark" onClick={toggleColorScheme}>
              <IconMoonStars size={20} />
            </ActionIcon>
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Your account">
                  <IconUserCircle size={22} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Label>
                  {user.name} · {user.role}
                </Menu.Label>
                <Menu.Item component={Link} to="/account" leftSection={<IconSettings size={16} />}>
                  Login and sessions
                </Menu.Item>
                <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void logout()}>
                  Log out
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        </Group>
      </AppShell.Header>
      {/* A closed menu is not there: pushed out of sight only, its links would still be stops of the Tab key. */}
      <AppShell.Navbar p="xs" aria-label="Pages" {...(!opened && { visibleFrom: 'sm' })}>
        <AppShell.Section grow component={ScrollArea}>
          {pagesOf(user.role).map(({ to, label, icon: Icon }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              activeOptions={{ exact: true }}
              active={to === '/' || to === '/operator' ? pathname === to : pathname.startsWith(to)}
              leftSection={<Icon size={18} />}
              rightSection={
                to === '/inbox' &&
                unread > 0 && (
                  <Badge size="sm" aria-label={`${inboxCountShown(unread)} unread`}>
                    {inboxCountShown(unread)}
                  </Badge>
                )
              }
              onClick={close}
              style={{ borderRadius: 8 }}
            />
          ))}
        </AppShell.Section>
        {business && seesKeys && (
          <AppShell.Section p="xs" role="region" aria-label="Daily cap">
            <PlanBar business={business} />
          </AppShell.Section>
        )}
      </AppShell.Navbar>
      <AppShell.Main
        ref={main}
        tabIndex={-1}
        style={{ outline: 'none', ...(hasPanes && { height: '100dvh', display: 'flex', flexDirection: 'column' }) }}
      >
        <Box {...(hasPanes ? { style: { flex: 1, minHeight: 0, display: 'flex', flexDirection: 'column' } } : { maw: 1280, mx: 'auto' })}>
          {business && seesKeys && <CapBanner business={business} />}
          <OutdatedNotice />
          <Outlet />
        </Box>
      </AppShell.Main>
      <Suspense>
        <Keyboard requests={paletteRequests} help={{ isOpen: isHelpOpen, open: help.open, close: help.close }} />
      </Suspense>
    </AppShell>
  );
}

/** The time until the page notices that somebody changed the person's role, in milliseconds. */
const ROLE_WITHIN_MS = 60_000;

/** Loads the logged-in user again while the dashboard is open. With another role, a page that it may not open is left. */
function useRoleChanges(): void {
  const router = useRouter();
  const role = useQuery({ ...meQuery, refetchInterval: ROLE_WITHIN_MS }).data?.user.role;
  const before = useRef(role);
  useEffect(() => {
    if (role !== before.current) void router.invalidate();
    before.current = role;
  }, [role, router]);
}

/** Moves the focus to the new page's content after a navigation. */
function useMainFocus(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    if (pathname !== before.current) main.current?.focus({ preventScroll: true });
    before.current = pathname;
  }, [pathname]);
  useKeptFocus(main);
  return main;
}

/** Keeps the scroll position if only the search of the address changes: a drawer that opens must not lose the place in its list. */
function useKeptScroll() {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onBeforeRouteMount', ({ pathChanged }) => {
        // The router has no option for this: by default every navigation scrolls to the top, also the way back.
        if (!pathChanged) router._scroll.n = false;
      }),
    [router],
  );
}
