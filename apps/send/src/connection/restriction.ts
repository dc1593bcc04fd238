import { GatewayError } from '@mgw/contracts';
import type { PlatformConnection } from './connection.service';

/** The platform's names of temporary account restrictions (platform §4.6). */
const RESTRICTION_KINDS = { template: 'RESTRICTED_BIZ_INITIATED_MESSAGING', freeForm: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING' };

/** Refuses a send that the platform would refuse. @throws GatewayError NOT_CONNECTED */
export function refuseRestricted({ restriction }: PlatformConnection, kind: keyof typeof RESTRICTION_KINDS): void {
  if (!restriction?.kinds.includes(RESTRICTION_KINDS[kind])) return;
  const what = kind === 'template' ? 'templates' : 'free-form messages';
  // With several restrictions, `until` is the end of the last one.
  const until = restriction.until === null ? '' : ` until ${restriction.until}${restriction.kinds.length > 1 ? ' at the latest' : ''}`;
  throw new GatewayError('NOT_CONNECTED', `The messaging platform restricts this account: it may not send ${what}${until}.`, {
    hint: 'Open the account in Business Manager: it violated a policy of the platform.',
  });
}
