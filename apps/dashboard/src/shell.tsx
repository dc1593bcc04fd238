import { ActionIcon, AppShell, Badge, Box, Burger, Group, Menu, NavLink, ScrollArea, Text, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconApi,
  IconChartBar,
  IconHome,
  IconInbox,
  IconLogout,
  IconMessage,
  IconMoonStars,
  IconRobot,
  IconServerCog,
  IconSettings,
  IconSpeakerphone,
  IconTemplate,
  IconUserCircle,
  IconWebhook,
} from '@tabler/icons-react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useLogout, useMe } from './api/session';
import { CapBanner, PlanBar } from './components/plan-bar';

const PAGES = [
  { to: '/', label: 'Home', icon: IconHome },
  { to: '/inbox', label: 'Inbox', icon: IconInbox },
  { to: '/messages', label: 'Messages', icon: IconMessage },
  { to: '/broadcasts', label: 'Broadcasts', icon: IconSpeakerphone },
  { to: '/templates', label: 'Templates', icon: IconTemplate },
  { to: '/auto-reply', label: 'Auto-reply', icon: IconRobot },
  { to: '/api-keys', label: 'API & Integrations', icon: IconApi },
  { to: '/webhooks', label: 'Webhooks', icon: IconWebhook },
  { to: '/usage', label: 'Usage', icon: IconChartBar },
  { to: '/settings', label: 'Settings', icon: IconSettings },
] as const;

/** The frame of every page: where one is, where one can go, who one is. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { user, business } = useMe();
  const { pathname } = useLocation();
  const { toggleColorScheme } = useMantineColorScheme();
  const logout = useLogout();
  const pages = business ? PAGES : [{ to: '/operator', label: 'Operator', icon: IconServerCog } as const];
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }} padding="lg">
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Show or hide the navigation" />
            <img src="/icon.svg" width={28} height={28} alt="" />
            <Text fw={650} truncate>
              {business?.name ?? 'Operator'}
            </Text>
            {business && (
              <Badge variant="default" visibleFrom="xs">
                {business.plan}
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Change between light and dark" onClick={toggleColorScheme}>
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
          {pages.map(({ to, label, icon: Icon }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              active={to === '/' ? pathname === '/' : pathname.startsWith(to)}
              leftSection={<Icon size={18} />}
              onClick={close}
              style={{ borderRadius: 8 }}
            />
          ))}
        </AppShell.Section>
        {business && (
          <AppShell.Section p="xs" role="region" aria-label="Daily cap">
            <PlanBar business={business} />
          </AppShell.Section>
        )}
      </AppShell.Navbar>
      <AppShell.Main>
        <Box maw={1280} mx="auto">
          {business && <CapBanner business={business} />}
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}
