import { migration } from '@mgw/postgres';

const COLUMNS = `
-- Calls of the model for the questions in a row whose place under the limits this one holds.
ALTER TABLE auto_reply.replies ADD COLUMN model_calls smallint NOT NULL DEFAULT 0;
`;

export const ModelCalls1796342541000 = migration('ModelCalls1796342541000', COLUMNS);
