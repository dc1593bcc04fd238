import { Injectable } from '@nestjs/common';
import { ConnectionChanged, type EventEnvelope, type PlatformAccountUpdate } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { ConnectionsStore } from './connections.store';
import { ProbeService } from './probe.service';

type AccountEvent = EventEnvelope<typeof PlatformAccountUpdate>;

/** Events that end sending, with the problem that the dashboard shows (platform §4.6). */
const CLOSING_EVENTS: Record<string, string> = {
  ACCOUNT_DELETED: 'The account was deleted on the platform.',
  ACCOUNT_OFFBOARDED: 'The account was removed from the platform.',
  PARTNER_REMOVED: 'The account is no longer shared with this app.',
};
const REOPENING_EVENTS = new Set(['ACCOUNT_RECONNECTED', 'PARTNER_ADDED', 'PARTNER_APP_INSTALLED']);

/** Applies the platform's bans and restrictions to connections, so that sends fail without a platform call (platform §3.3, §4.6). */
@Injectable()
export class AccountUpdates {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly probing: ProbeService,
    private readonly rpc: RpcClient,
  ) {}

  async apply(events: AccountEvent[], tx: Tx): Promise<void> {
    for (const event of events) await this.applyOne(event, tx);
  }

  /** Invalidates cached connections and starts the scheduled probes. Call it after the commit. */
  announce(businessIds: Iterable<number>): void {
    for (const business_id of businessIds) this.rpc.announce(ConnectionChanged, { business_id });
    this.probing.wake();
  }

  private async applyOne({ business_id, data: { event, raw } }: AccountEvent, tx: Tx): Promise<void> {
    const problem = CLOSING_EVENTS[event];
    if (problem !== undefined) return this.connections.markClosed(tx, business_id, problem);
    if (REOPENING_EVENTS.has(event)) return this.connections.scheduleProbe(business_id, tx);
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
    if (/^DISABLE/.test(state)) await this.connections.markClosed(tx, businessId, 'The platform disabled this account.');
    else if (/^REINSTATE/.test(state)) {
      await this.connections.setRestrictions(tx, businessId, {});
      await this.connections.scheduleProbe(businessId, tx);
    }
  }
}

/** @param expiration seconds since 1970 @returns null for a missing or invalid time */
function restrictionEnd(expiration: unknown): string | null {
  const seconds = Number(expiration);
  return seconds > 0 && seconds < 1e11 ? new Date(seconds * 1_000).toISOString() : null;
}
