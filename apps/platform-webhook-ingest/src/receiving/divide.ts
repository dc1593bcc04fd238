import { changesOf, ownerOf, type Owners } from '../splitting/changes';
import type { SignedBody } from '../callbacks/stored-callback';

/** The updates of one business in a callback. */
export interface Part {
  /** The business; 0 if no business with the app secret claims the number or account. */
  lane: number;
  webhook: unknown;
  /** The received bytes if the callback is for one business. */
  body: Buffer;
}

/**
 * Divides a callback by business, because each business's updates wait in a lane of their own. Nearly every callback is for one
 * business and stays whole. Updates without an owner go with the first part.
 */
export function divide(webhook: unknown, { body, businesses }: SignedBody, owners: Owners): Part[] {
  const signers = new Set(businesses);
  const changes = changesOf(webhook).map((change) => ({ ...change, lane: ownerOf(change, signers, owners) }));
  const lanes = new Set(changes.flatMap(({ lane }) => lane ?? []));
  const [first = 0] = lanes;
  if (lanes.size <= 1) return [{ lane: first, webhook, body }];
  return [...lanes].map((lane) => {
    const own = changes.filter((change) => (change.lane ?? first) === lane);
    const entry = own.map(({ account, time, field, value }) => ({ id: account, time, changes: [{ field, value }] }));
    const part = { object: 'whatsapp_business_account', entry };
    return { lane, webhook: part, body: Buffer.from(JSON.stringify(part)) };
  });
}
