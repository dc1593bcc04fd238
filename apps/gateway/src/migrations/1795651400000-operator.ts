import { migration } from '@mgw/postgres';

const TABLES = `
-- Null for a business that works.
ALTER TABLE access.businesses ADD COLUMN suspended_at timestamptz;

-- The metrics of all services at each minute of the last hour, for the operator's plots.
CREATE TABLE access.metric_samples (
  minute timestamptz PRIMARY KEY,
  metrics jsonb NOT NULL
);
`;

export const Operator1795651400000 = migration('Operator1795651400000', TABLES);
