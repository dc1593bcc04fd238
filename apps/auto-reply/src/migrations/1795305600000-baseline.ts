import { eventTables } from '@mgw/events';
import { migration } from '@mgw/postgres';

const TABLES = `
-- Automatic replies of each business. A base_url of null means the deployment's.
CREATE TABLE auto_reply.settings (
  business_id bigint PRIMARY KEY,
  enabled boolean NOT NULL DEFAULT false,
  instructions text NOT NULL DEFAULT '',
  model text NOT NULL DEFAULT 'gpt-4o-mini',
  base_url text,
  api_key_sealed text,
  -- Replies in 24 hours.
  daily_limit integer NOT NULL DEFAULT 200,
  -- Pause after an agent replied.
  quiet_minutes integer NOT NULL DEFAULT 30,
  plan text NOT NULL DEFAULT '',
  timezone text NOT NULL DEFAULT 'UTC'
);

-- Messages that a model replies to, one row each.
CREATE TABLE auto_reply.replies (
  id bigserial PRIMARY KEY,
  business_id bigint NOT NULL,
  inbound_message_id text NOT NULL,
  conversation_id bigint NOT NULL,
  customer text NOT NULL,
  question text NOT NULL,
  received_at timestamptz NOT NULL,
  traceparent text,
  -- Stored before it is sent: a retry sends the same words under the same Idempotency-Key.
  reply text,
  -- The reply may have been sent; only its Idempotency-Key reveals the outcome.
  sending boolean NOT NULL DEFAULT false,
  message_id text,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'replied', 'skipped', 'failed')),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  -- Attempts whose process died.
  unfinished_attempts smallint NOT NULL DEFAULT 0,
  -- The worker that claimed it (auto_reply.workers).
  worker_id text,
  due_at timestamptz NOT NULL DEFAULT now(),
  -- When its reply took a place under the daily limit, or null.
  reserved_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  UNIQUE (business_id, inbound_message_id)
);
-- Workers claim business by business.
CREATE INDEX replies_waiting ON auto_reply.replies (business_id, due_at) WHERE state = 'pending';
CREATE INDEX replies_claimed ON auto_reply.replies (worker_id) WHERE state = 'pending' AND worker_id IS NOT NULL;
CREATE INDEX replies_reserved ON auto_reply.replies (business_id, reserved_at) WHERE reserved_at IS NOT NULL;
CREATE INDEX replies_of_conversation ON auto_reply.replies (conversation_id, id DESC);
-- No other index has this expression. With a shared one PostgreSQL could scan the primary key backwards through other businesses' rows.
CREATE INDEX replies_newest ON auto_reply.replies (business_id, (-id));
CREATE INDEX replies_ended ON auto_reply.replies (ended_at) WHERE ended_at IS NOT NULL;
`;

export const Baseline1795305600000 = migration('Baseline1795305600000', TABLES, eventTables('auto_reply'));
