import { migration } from '@mgw/postgres';

const TABLES = `
-- The key of the hashes that an erasure leaves, sealed, so that nobody finds a number by hashing all.
CREATE TABLE send.erasure_keys (
  business_id bigint PRIMARY KEY,
  key_sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Opt-outs of erased people, by the keyed hash of each of their names, until one of the names comes up again.
CREATE TABLE send.erased_opt_outs (
  business_id bigint NOT NULL,
  name_hash text NOT NULL,
  source text NOT NULL,
  state text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (business_id, name_hash, source)
);
`;

export const ErasedPeople1795651200000 = migration('ErasedPeople1795651200000', TABLES);
