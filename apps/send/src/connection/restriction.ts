import { GatewayError } from '@mgw/contracts';
import { type PlatformConnection } from './connection.service';

/** The platform's words for what an account may not do for a while (platform §4.6). */
const RESTRICTION_KINDS = { template: 'RESTRICTED_BIZ_INITIATED_MESSAGING', freeForm: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING' };

/** Fails at once what the platform would refuse. @throws GatewayError NOT_CONNECTED */
export function refuseRestricted({ restriction }: PlatformConnection, kind: keyof typeof RESTRICTION_KINDS): void {
  if (!restriction?.kinds.includes(RESTRICTION_KINDS[kind])) return;
  const what = kind === 'template' ? 'templates' : 'free-form messages';
  // Of several, the end of the last is told.
  const until = restriction.until === null ? '' : ` until ${restriction.until}${restriction.kinds.length > 1 ? ' at the latest' : ''}`;
  throw new GatewayError('NOT_CONNECTED', `The messaging platform keeps this account from sending ${what}${until}.`, {
    hint: 'See the account in Business Manager: it was restricted for breaking a rule of the platform.',
  });
}
