import { migration } from '@mgw/postgres';

const TABLE = `
-- Erasures of people, each a command to every service until all confirm it.
CREATE TABLE access.erasures (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  business_id integer NOT NULL REFERENCES access.businesses (id),
  requested_by integer REFERENCES access.users (id) ON DELETE SET NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- The last digits of the number.
  contact text NOT NULL,
  reason text NOT NULL,
  -- The names and conversations of the person, sealed; empty when it is complete.
  person_sealed text NOT NULL DEFAULT '',
  -- The services that found nothing in the last round.
  confirmed text[] NOT NULL DEFAULT '{}',
  -- The time of the next round. During a round: the time after which it counts as abandoned.
  due_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz
);
CREATE INDEX erasures_newest ON access.erasures (business_id, (-id));
CREATE INDEX erasures_open ON access.erasures (due_at) WHERE completed_at IS NULL;
CREATE INDEX erasures_user ON access.erasures (requested_by);
`;

export const Erasures1795651300000 = migration('Erasures1795651300000', TABLE);
