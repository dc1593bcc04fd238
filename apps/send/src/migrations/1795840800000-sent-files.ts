import { migration } from '@mgw/postgres';

const INDEX = `
-- Finds the other people who were sent a person's upload, which an erasure leaves to them (decision 402).
CREATE INDEX intents_file ON send.intents (business_id, (coalesce(details->>'media_id', details#>>'{offer,header,media_id}')))
  WHERE coalesce(details->>'media_id', details#>>'{offer,header,media_id}') IS NOT NULL;
`;

export const SentFiles1795840800000 = migration('SentFiles1795840800000', INDEX);
