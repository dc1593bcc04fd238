import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The platform's rating at the last sync; null before.
ALTER TABLE template.templates ADD COLUMN quality text;
`;

export const Quality1795737600000 = migration('Quality1795737600000', COLUMNS);
