import { migration } from '@mgw/postgres';

const TABLE = `
-- Names that led to another conversation until they passed to a new owner (decision 704). A trigger writes it.
CREATE TABLE send.former_aliases (
  business_id bigint NOT NULL,
  alias text NOT NULL,
  until timestamptz NOT NULL,
  conversation_id bigint NOT NULL,
  PRIMARY KEY (business_id, alias, until)
);
CREATE INDEX former_aliases_of ON send.former_aliases (conversation_id);
`;

export const FormerAliases1796342480000 = migration('FormerAliases1796342480000', TABLE);
