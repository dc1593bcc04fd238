import { migration } from '@mgw/postgres';

const INDEX = `
-- Finds the recipients that an erasure or an export of a person is about.
CREATE INDEX recipients_phone ON broadcast.recipients (phone);
`;

export const RecipientsPhone1795651300000 = migration('RecipientsPhone1795651300000', INDEX);
