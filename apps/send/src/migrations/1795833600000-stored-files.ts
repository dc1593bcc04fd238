import { migration } from '@mgw/postgres';

const TABLES = `
-- Files that MEDIA_STORE keeps, or shall keep. The gateway claims them, and moves the bytes.
CREATE TABLE send.stored_files (
  business_id bigint NOT NULL,
  media_id text NOT NULL,
  -- The conversation of a file; null for an upload.
  conversation_id bigint,
  -- When its newest message was or may be sent: an upload may be sent for thirty days.
  last_used_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'storing', 'stored', 'deleting')),
  attempts integer NOT NULL DEFAULT 0,
  -- When the work is due, or a claim expires.
  due_at timestamptz NOT NULL DEFAULT now(),
  mime_type text,
  file_size bigint,
  sha256 text,
  PRIMARY KEY (business_id, media_id)
);
CREATE INDEX stored_files_due ON send.stored_files (business_id, due_at) WHERE state <> 'stored';
CREATE INDEX stored_files_age ON send.stored_files (last_used_at) WHERE state = 'stored';
CREATE INDEX stored_files_unclaimed ON send.stored_files (last_used_at) WHERE attempts = 0;
CREATE INDEX stored_files_conversation ON send.stored_files (conversation_id) WHERE conversation_id IS NOT NULL;
`;

export const StoredFiles1795833600000 = migration('StoredFiles1795833600000', TABLES);
