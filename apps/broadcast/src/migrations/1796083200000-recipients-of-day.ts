import { migration } from '@mgw/postgres';

const INDEX = `
-- Finds the messages of a day that a person may answer, and the recipients that an erasure or an export of a person is about.
CREATE INDEX recipients_phone_attempted ON broadcast.recipients (phone, attempted_at);
DROP INDEX broadcast.recipients_phone;
`;

export const RecipientsOfDay1796083200000 = migration('RecipientsOfDay1796083200000', INDEX);
