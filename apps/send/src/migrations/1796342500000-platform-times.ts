import { migration } from '@mgw/postgres';

/** The times that a platform clock ahead of ours left before they were clamped (platform-time.ts). They hid later opt-outs and edits. */
const CLAMPED = `
UPDATE send.suppressions SET at = date_trunc('second', now()) WHERE at > now();
UPDATE send.erased_opt_outs SET at = date_trunc('second', now()) WHERE at > now();
UPDATE send.message_changes SET edited_at = date_trunc('second', now()) WHERE edited_at > now();
`;

export const PlatformTimes1796342500000 = migration('PlatformTimes1796342500000', CLAMPED);
