import {
  IconApi,
  IconChartBar,
  IconHistory,
  IconHome,
  IconInbox,
  IconMessage,
  IconRobot,
  IconServerCog,
  IconSettings,
  IconSpeakerphone,
  IconTemplate,
  IconWebhook,
} from '@tabler/icons-react';
import type { Me } from './api/session';

/** `key` opens the page after `g`. */
const PAGES = [
  { to: '/', label: 'Home', icon: IconHome, key: 'h' },
  { to: '/inbox', label: 'Inbox', icon: IconInbox, key: 'i' },
  { to: '/messages', label: 'Messages', icon: IconMessage, key: 'm' },
  { to: '/broadcasts', label: 'Broadcasts', icon: IconSpeakerphone, key: 'b' },
  { to: '/templates', label: 'Templates', icon: IconTemplate, key: 't' },
  { to: '/auto-reply', label: 'Auto-reply', icon: IconRobot, key: 'a' },
  { to: '/api-keys', label: 'API & Integrations', icon: IconApi, key: 'k' },
  { to: '/webhooks', label: 'Webhooks', icon: IconWebhook, key: 'w' },
  { to: '/usage', label: 'Usage', icon: IconChartBar, key: 'u' },
  { to: '/settings', label: 'Settings', icon: IconSettings, key: 's' },
] as const;
const OWNER_PAGES = [{ to: '/audit', label: 'Audit log', icon: IconHistory, key: 'l' }] as const;
const OPERATOR_PAGES = [
  { to: '/operator', label: 'Operator', icon: IconServerCog, key: 'o' },
  { to: '/operator/audit', label: 'Audit log', icon: IconHistory, key: 'l' },
] as const;

export function pagesOf({ business, user }: Me) {
  if (!business) return OPERATOR_PAGES;
  return user.role === 'owner' ? [...PAGES, ...OWNER_PAGES] : PAGES;
}
