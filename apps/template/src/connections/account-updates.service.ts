import { Injectable } from '@nestjs/common';
import { ConnectionChanged, type EventEnvelope, type PlatformAccountUpdate } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { ConnectionsStore } from './connections.store';

type AccountEvent = EventEnvelope<typeof PlatformAccountUpdate>;

/** Ends of an account, in words for people (platform §4.6). */
const CLOSING_EVENTS: Record<string, string> = {
  ACCOUNT_DELETED: 'The account was deleted on the platform.',
  ACCOUNT_OFFBOARDED: 'The account was taken off the platform.',
  PARTNER_REMOVED: 'The account no longer shares itself with this app.',
};
const REOPENING_EVENTS = new Set(['ACCOUNT_RECONNECTED', 'PARTNER_ADDED', 'PARTNER_APP_INSTALLED']);

/** Bans and restrictions as the platform tells them, before a send runs into them (platform §3.3, §4.6). */
@Injectable()
export class AccountUpdates {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly rpc: RpcClient,
  ) {}

  async apply(events: AccountEvent[], tx: Tx): Promise<void> {
    for (const event of events) await this.applyOne(event, tx);
  }

  /** After the commit: holders of the connection ask again. */
  announce(businessIds: Iterable<number>): void {
    for (const business_id of businessIds) this.rpc.announce(ConnectionChanged, { business_id });
  }

  private async applyOne({ business_id, data: { event, raw } }: AccountEvent, tx: Tx): Promise<void> {
    const end = CLOSING_EVENTS[event];
    if (end !== undefined) return this.connections.markClosed(tx, business_id, end);
    if (REOPENING_EVENTS.has(event)) return this.connections.scheduleProbe(tx, business_id);
    if (event === 'ACCOUNT_RESTRICTION') return this.restrict(business_id, raw, tx);
    if (event === 'DISABLED_UPDATE') return this.ban(business_id, raw, tx);
  }

  private async restrict(businessId: number, raw: Record<string, unknown>, tx: Tx): Promise<void> {
    const infos = Array.isArray(raw['restriction_info'])
      ? (raw['restriction_info'] as ({ restriction_type?: unknown; expiration?: unknown } | null)[])
      : [];
    const ends = infos
      .map((info) => [String(info?.restriction_type), restrictionEnd(info?.expiration)] as const)
      .filter(([kind]) => kind.startsWith('RESTRICTED_'));
    await this.connections.setRestrictions(tx, businessId, Object.fromEntries(ends));
  }

  private async ban(businessId: number, raw: Record<string, unknown>, tx: Tx): Promise<void> {
    const state = String((raw['ban_info'] as { waba_ban_state?: unknown } | undefined)?.waba_ban_state ?? '');
    if (/^DISABLE/.test(state)) await this.connections.markClosed(tx, businessId, 'The platform has disabled this account.');
    else if (/^REINSTATE/.test(state)) {
      await this.connections.setRestrictions(tx, businessId, {});
      await this.connections.scheduleProbe(tx, businessId);
    }
  }
}

/** @param expiration in seconds since 1970 @returns null when there is none, or none that is a time */
function restrictionEnd(expiration: unknown): string | null {
  const seconds = Number(expiration);
  return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1_000).toISOString() : null;
}
