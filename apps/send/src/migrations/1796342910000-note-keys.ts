import { migration } from '@mgw/postgres';

const KEYS = `
-- The Idempotency-Key and the fingerprint of the request that added the note (decision 776).
ALTER TABLE send.notes ADD COLUMN creation_key text, ADD COLUMN creation_fingerprint text;
CREATE UNIQUE INDEX notes_creation_key ON send.notes (business_id, creation_key) WHERE creation_key IS NOT NULL;
`;

export const NoteKeys1796342910000 = migration('NoteKeys1796342910000', KEYS);
