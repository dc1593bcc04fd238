import { migration } from '@mgw/postgres';

const TABLES = `
-- Businesses that an operator suspended, also without a connection.
CREATE TABLE template.suspensions (business_id bigint PRIMARY KEY);
-- The details of the number at the last probe; null before.
ALTER TABLE template.connections ADD COLUMN number_details jsonb;
`;

export const Suspensions1795651200000 = migration('Suspensions1795651200000', TABLES);
