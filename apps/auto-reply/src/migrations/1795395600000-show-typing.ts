import { migration } from '@mgw/postgres';

export const ShowTyping1795395600000 = migration(
  'ShowTyping1795395600000',
  'ALTER TABLE auto_reply.settings ADD COLUMN show_typing boolean NOT NULL DEFAULT false;',
);
