import { migration } from '@mgw/postgres';

const COLUMN = `
ALTER TABLE broadcast.recipients ADD COLUMN button_params text[] NOT NULL DEFAULT '{}';
`;

export const ButtonValues1796169600000 = migration('ButtonValues1796169600000', COLUMN);
