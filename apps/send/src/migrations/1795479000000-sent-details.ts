import { migration } from '@mgw/postgres';

const COLUMNS = `
-- The user who sends, if a person does, and the content beside the text that the thread shows (libs/contracts/src/sent-details.ts).
ALTER TABLE send.intents ADD COLUMN user_id bigint, ADD COLUMN details json;
`;

export const SentDetails1795479000000 = migration('SentDetails1795479000000', COLUMNS);
