import { migration } from '@mgw/postgres';

const TABLES = `
-- Files that businesses uploaded, while the platform keeps them.
CREATE TABLE send.uploads (
  business_id bigint NOT NULL,
  media_id text NOT NULL,
  mime_type text NOT NULL,
  file_size bigint NOT NULL,
  filename text,
  uploaded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (business_id, media_id)
);
CREATE INDEX uploads_age ON send.uploads (uploaded_at);
`;

export const Uploads1795737700000 = migration('Uploads1795737700000', TABLES);
