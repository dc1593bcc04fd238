// The rights of each service on the servers. `node tools/access/generate.mjs --write` generates deploy/nats/users.conf from this table;
// e2e/src/access.spec.ts compares it with the code.

/**
 * @typedef {object} Service
 * @property {string} schema its schema in PostgreSQL, and the role that owns it
 * @property {string[]} secrets secret settings besides the addresses of the servers
 * @property {Record<string, string[]>} calls requests to other services: verbs by service
 * @property {string[]} announces hints that it publishes to every replica of every service
 * @property {string[]} listens hints that it receives
 * @property {string[]} publishes events that it publishes, by subject
 * @property {Record<string, string>} consumes durable consumers and the subject of each; `public.>` is the whole stream
 * @property {string[]} tails streams that it follows live
 */

/** Requests of operators to every service. */
const OPERATED = ['metrics', 'list-dead-letters', 'get-dead-letter', 'replay-dead-letter', 'discard-dead-letter'];

/** Requests to every service that stores what people write and receive. */
const PERSONAL = ['export-person', 'erase-person'];

/** @type {Record<string, Service>} by app, which is also its NATS user */
export const SERVICES = {
  gateway: {
    schema: 'access',
    secrets: ['SEALING_KEYS', 'API_KEY_PEPPER'],
    calls: {
      send: [
        ...['template', 'text', 'media', 'otp', 'interactive', 'location', 'contacts', 'reaction'],
        ...[
          'mark-read',
          'mark-conversation-read',
          'check',
          'find',
          'find-media',
          'record-upload',
          'claim-files',
          'end-file-task',
          'has-erased-files',
          'has-stored-files',
          'daily-usage',
          'get-settings',
          'set-settings',
        ],
        ...[
          'list-conversations',
          'find-conversation',
          'get-thread',
          'list-inbound',
          'update-conversation',
          'unassign-conversations',
          'add-note',
        ],
        ...['list-labels', 'create-label', 'update-label', 'delete-label'],
        ...['list-quick-replies', 'create-quick-reply', 'update-quick-reply', 'delete-quick-reply'],
        ...['list-suppressions', 'get-suppression', 'set-suppression', 'import-suppressions', 'lift-suppression', ...OPERATED],
        ...['find-person', 'prepare-erasure', ...PERSONAL],
      ],
      template: [
        ...['get-connection', 'set-connection', 'check-connection', 'subscribe-to-account', 'suspend-business', ...OPERATED],
        ...['list', 'list-approved', 'sync', 'create', 'change', 'delete'],
      ],
      status: [
        ...['get-many', 'list', 'timeline', 'usage', 'count', 'count-templates', 'costs', 'estimate', 'get-rate-card', 'set-rate-card'],
        ...OPERATED,
        ...PERSONAL,
      ],
      'platform-webhook-ingest': ['receive', 'verify-handshake', 'get-callback-times', ...OPERATED, ...PERSONAL],
      'outbound-webhook-dispatcher': [
        ...['create-webhook', 'list-webhooks', 'update-webhook', 'delete-webhook'],
        ...['list-deliveries', 'get-delivery', 'find-deliveries', 'redeliver', 'test-webhook', ...OPERATED, ...PERSONAL],
        ...['list-events', 'find-newest-events', 'list-failing-webhooks'],
        ...['recover', 'get-recovery', 'cancel-recovery'],
      ],
      broadcast: [
        ...['check', 'create', 'list', 'get', 'list-recipients', 'check-retry', 'retry', 'cancel', 'pause', 'resume'],
        ...OPERATED,
        ...PERSONAL,
      ],
      'auto-reply': ['get-settings', 'set-settings', 'try', 'list', 'find-unanswered', ...OPERATED, ...PERSONAL],
    },
    announces: ['key-changed', 'business-changed', 'limits-changed'],
    listens: ['key-changed', 'business-changed', 'limits-changed'],
    publishes: [],
    consumes: {},
    tails: ['PUBLIC'],
  },
  send: {
    schema: 'send',
    secrets: ['SEALING_KEYS'],
    calls: {
      template: ['find', 'sync', 'get-connections', 'report-connection-problem'],
      'outbound-webhook-dispatcher': ['find-wanted-events'],
    },
    announces: [],
    listens: ['connection-changed', 'templates-changed', 'webhooks-changed'],
    publishes: [
      ...['public.message.sent', 'public.message.received', 'public.conversation.created', 'public.suppression.changed'],
      'sending.message.not-sent',
    ],
    consumes: {
      'send-messages': 'platform.message',
      'send-statuses': 'platform.status',
      'send-preferences': 'platform.preference',
    },
    tails: [],
  },
  template: {
    schema: 'template',
    secrets: ['SEALING_KEYS'],
    calls: { 'outbound-webhook-dispatcher': ['find-wanted-events'] },
    announces: ['connection-changed', 'templates-changed'],
    listens: ['webhooks-changed'],
    publishes: ['public.template.status'],
    consumes: { 'template-updates': 'platform.template', 'template-accounts': 'platform.account' },
    tails: [],
  },
  status: {
    schema: 'status',
    secrets: [],
    calls: { send: ['publish-events'], 'outbound-webhook-dispatcher': ['find-wanted-events'] },
    announces: [],
    listens: ['webhooks-changed'],
    publishes: ['public.message.status'],
    consumes: {
      'status-acceptances': 'public.message.sent',
      'status-failures': 'sending.message.not-sent',
      'status-statuses': 'platform.status',
    },
    tails: [],
  },
  'platform-webhook-ingest': {
    schema: 'ingest',
    secrets: ['SEALING_KEYS'],
    calls: { template: ['list-connections'] },
    announces: [],
    listens: ['connection-changed'],
    publishes: ['platform.message', 'platform.status', 'platform.preference', 'platform.template', 'platform.account'],
    consumes: {},
    tails: [],
  },
  'outbound-webhook-dispatcher': {
    schema: 'dispatch',
    secrets: ['SEALING_KEYS'],
    calls: {},
    announces: ['webhooks-changed'],
    listens: [],
    publishes: ['public.webhook.failing'],
    consumes: { 'outbound-webhook-dispatcher': 'public.>' },
    tails: [],
  },
  broadcast: {
    schema: 'broadcast',
    secrets: [],
    calls: { gateway: ['find-access'], send: ['template', 'find', 'check-daily-cap', 'find-suppressed'], template: ['find'] },
    announces: [],
    listens: ['key-changed', 'business-changed'],
    publishes: ['public.broadcast.completed'],
    consumes: { 'broadcast-statuses': 'platform.status', 'broadcast-replies': 'public.message.received' },
    tails: [],
  },
  'auto-reply': {
    schema: 'auto_reply',
    secrets: ['SEALING_KEYS'],
    calls: { gateway: ['find-access'], send: ['text', 'find', 'mark-read', 'get-thread', 'publish-events'], status: ['estimate'] },
    announces: [],
    listens: ['business-changed'],
    publishes: ['public.ai.replied'],
    consumes: { 'auto-reply': 'public.message.received' },
    tails: [],
  },
};

/** The stream of a subject: its first word in capitals. */
export const STREAMS = ['PLATFORM', 'SENDING', 'PUBLIC'];
