import {
  IconActivity,
  IconApi,
  IconChartBar,
  IconCoins,
  IconHistory,
  IconHome,
  IconInbox,
  IconListSearch,
  IconMailOff,
  IconMessage,
  IconRobot,
  IconServerCog,
  IconSettings,
  IconSpeakerphone,
  IconTemplate,
  IconUserShield,
  IconWebhook,
} from '@tabler/icons-react';
import { mayCall, type Role, type Route } from './api/session';

/** Every page of the navigation. It shows the pages whose route the role may call; `key` opens one after `g`. */
const PAGES = [
  { to: '/', label: 'Home', icon: IconHome, key: 'h', route: 'GET /api/client/usage' },
  { to: '/inbox', label: 'Inbox', icon: IconInbox, key: 'i', route: 'GET /api/client/conversations' },
  { to: '/messages', label: 'Messages', icon: IconMessage, key: 'm', route: 'GET /api/client/messages' },
  { to: '/broadcasts', label: 'Broadcasts', icon: IconSpeakerphone, key: 'b', route: 'GET /api/client/broadcasts' },
  { to: '/templates', label: 'Templates', icon: IconTemplate, key: 't', route: 'GET /api/client/templates' },
  { to: '/auto-reply', label: 'Auto-reply', icon: IconRobot, key: 'a', route: 'GET /api/client/auto-reply' },
  { to: '/api-keys', label: 'API & Integrations', icon: IconApi, key: 'k', route: 'GET /api/client/api-keys' },
  { to: '/webhooks', label: 'Webhooks', icon: IconWebhook, key: 'w', route: 'GET /api/client/webhooks' },
  { to: '/events', label: 'Live events', icon: IconActivity, key: 'e', route: 'GET /api/client/webhooks' },
  { to: '/requests', label: 'Request log', icon: IconListSearch, key: 'r', route: 'GET /api/client/requests' },
  { to: '/usage', label: 'Usage', icon: IconChartBar, key: 'u', route: 'GET /api/client/usage' },
  { to: '/settings', label: 'Settings', icon: IconSettings, key: 's', route: 'GET /api/client/settings' },
  { to: '/audit', label: 'Audit log', icon: IconHistory, key: 'l', route: 'GET /api/client/audit' },
  { to: '/people', label: 'Personal data', icon: IconUserShield, key: 'p', route: 'GET /api/client/erasures' },
  { to: '/operator', label: 'Operator', icon: IconServerCog, key: 'o', route: 'GET /api/admin/overview' },
  {
    to: '/operator/dead-letters',
    label: 'Dead letters',
    icon: IconMailOff,
    key: 'd',
    route: 'GET /api/admin/dead-letters',
  },
  { to: '/operator/rate-card', label: 'Rate card', icon: IconCoins, key: 'c', route: 'GET /api/admin/rate-card' },
  { to: '/operator/audit', label: 'Audit log', icon: IconHistory, key: 'l', route: 'GET /api/admin/audit' },
] as const satisfies { route: Route; [field: string]: unknown }[];

export const pagesOf = (role: Role) => PAGES.filter(({ route }) => mayCall(role, route));

/** Whether the role may open the path. Paths outside the navigation, such as the account, are for everybody. */
export function mayOpen(role: Role, path: string): boolean {
  const page = PAGES.findLast(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)));
  return page === undefined || mayCall(role, page.route);
}
