// Who may do what on the servers: the one place that says it. `node tools/access/generate.mjs --write` makes deploy/nats/users.conf of it; a test
// holds it to what the code does (e2e/src/access.spec.ts).

/**
 * @typedef {object} Service
 * @property {string} schema its own in PostgreSQL, and the name of the role that owns it
 * @property {string[]} secrets settings beside the addresses of the servers that are secret
 * @property {Record<string, string[]>} calls requests to other services: verbs by service
 * @property {string[]} announces hints that it gives to every replica of every service
 * @property {string[]} listens hints that it hears
 * @property {string[]} tells events that it publishes, by subject
 * @property {Record<string, string>} hears durable consumers and the subject of each; `public.>` is the whole stream
 * @property {string[]} follows streams that it shows live
 */

/** @type {Record<string, Service>} by name of the app, which is its NATS user */
export const SERVICES = {
  gateway: {
    schema: 'access',
    secrets: ['SEALING_KEYS', 'API_KEY_PEPPER'],
    calls: {
      send: [
        ...['template', 'text', 'media', 'otp', 'find', 'daily-usage', 'list-conversations', 'get-thread', 'get-settings', 'set-settings'],
        ...['list-suppressions', 'get-suppression', 'set-suppression', 'lift-suppression', 'figures'],
      ],
      template: ['get-connection', 'set-connection', 'list', 'list-approved', 'sync', 'figures'],
      status: ['get', 'get-many', 'list', 'timeline', 'usage', 'figures'],
      'platform-webhook-ingest': ['receive', 'verify-handshake', 'figures'],
      'outbound-webhook-dispatcher': [
        ...['create-webhook', 'list-webhooks', 'update-webhook', 'delete-webhook'],
        ...['list-deliveries', 'find-deliveries', 'redeliver', 'test-webhook', 'figures'],
      ],
      broadcast: ['check', 'create', 'list', 'get', 'list-recipients', 'cancel', 'pause', 'resume', 'figures'],
      'auto-reply': ['get-settings', 'set-settings', 'try', 'list', 'find-unanswered', 'figures'],
    },
    announces: ['key-changed', 'business-changed', 'limits-changed'],
    listens: ['key-changed', 'business-changed', 'limits-changed'],
    tells: [],
    hears: {},
    follows: ['PUBLIC'],
  },
  send: {
    schema: 'send',
    secrets: ['SEALING_KEYS'],
    calls: { template: ['find', 'sync', 'get-connections', 'report-connection-problem'] },
    announces: [],
    listens: ['connection-changed', 'templates-changed'],
    tells: ['public.message.sent', 'public.message.received', 'public.conversation.created', 'sending.message.not-sent'],
    hears: {
      'send-messages': 'platform.message',
      'send-statuses': 'platform.status',
      'send-preferences': 'platform.preference',
    },
    follows: [],
  },
  template: {
    schema: 'template',
    secrets: ['SEALING_KEYS'],
    calls: {},
    announces: ['connection-changed', 'templates-changed'],
    listens: [],
    tells: [],
    hears: { 'template-updates': 'platform.template', 'template-accounts': 'platform.account' },
    follows: [],
  },
  status: {
    schema: 'status',
    secrets: [],
    calls: {},
    announces: [],
    listens: [],
    tells: [],
    hears: {
      'status-acceptances': 'public.message.sent',
      'status-failures': 'sending.message.not-sent',
      'status-statuses': 'platform.status',
    },
    follows: [],
  },
  'platform-webhook-ingest': {
    schema: 'ingest',
    secrets: ['SEALING_KEYS'],
    calls: { template: ['list-connections'] },
    announces: [],
    listens: ['connection-changed'],
    tells: ['platform.message', 'platform.status', 'platform.preference', 'platform.template', 'platform.account'],
    hears: {},
    follows: [],
  },
  'outbound-webhook-dispatcher': {
    schema: 'dispatch',
    secrets: ['SEALING_KEYS'],
    calls: {},
    announces: [],
    listens: [],
    tells: [],
    hears: { 'outbound-webhook-dispatcher': 'public.>' },
    follows: [],
  },
  broadcast: {
    schema: 'broadcast',
    secrets: [],
    calls: { send: ['template', 'find'], template: ['find'] },
    announces: [],
    listens: [],
    tells: ['public.broadcast.completed'],
    hears: { 'broadcast-statuses': 'platform.status' },
    follows: [],
  },
  'auto-reply': {
    schema: 'auto_reply',
    secrets: ['SEALING_KEYS'],
    calls: { send: ['text', 'get-thread'] },
    announces: [],
    listens: [],
    tells: ['public.ai.replied'],
    hears: { 'auto-reply': 'public.message.received' },
    follows: [],
  },
};

/** Subjects' first word, in capitals, is the name of their stream. */
export const STREAMS = ['PLATFORM', 'SENDING', 'PUBLIC', 'CHANGES'];
