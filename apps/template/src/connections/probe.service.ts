import { Inject, Injectable } from '@nestjs/common';
import { ConnectionChanged, type Connection, type NumberDetails } from '@mgw/contracts';
import { GraphClient, type PhoneNumberNode, type ReadOutcome, type Refusal } from '@mgw/platform-api';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { JobPool } from '../job-pool';
import { ConnectionsStore, type DueProbe } from './connections.store';

/** Maximum concurrent probes of a process. A number that hangs occupies one place for 10 s of every minute. */
export const MAX_PROBES = 32;
const PROBE_TIMEOUT_MS = 10_000;
/** Interval until the next probe, in seconds. */
const RECHECK_CONNECTED_S = 600;
const RECHECK_PROBLEM_S = 60;
const UNREADABLE_TOKEN = 'The stored access token cannot be read. Enter it again.';

/** Probes numbers in the background, so that no request waits for it (platform §3.3). */
@Injectable()
export class ProbeService extends JobPool<DueProbe> {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly graph: GraphClient,
    private readonly sealer: Sealer,
    private readonly rpc: RpcClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'number probes', maxConcurrent: MAX_PROBES, logger });
  }

  async probeNow(businessId: number): Promise<void> {
    await this.connections.scheduleProbe(businessId);
    this.wake();
  }

  protected claimDue(atMost: number): Promise<DueProbe[]> {
    return this.connections.claimDue(atMost);
  }

  protected async runJob({ connection, claim }: DueProbe): Promise<void> {
    const { business_id, phone_number_id: phoneNumberId } = connection;
    const accessToken = this.sealer.openOrNull(connection.access_token_sealed, `connection.access_token:${business_id}`);
    if (accessToken === null) return this.recordUnreadableToken(business_id, claim);
    const outcome = await this.graph.getPhoneNumber({ phoneNumberId, accessToken }, Date.now() + PROBE_TIMEOUT_MS);
    if (!isConclusive(outcome, connection.status)) return;
    const problem =
      outcome.kind === 'refused' ? `${outcome.refusal.platformCode ?? ''} ${outcome.refusal.message}`.trim() : problemOf(outcome.value);
    const status = problem === null ? 'connected' : 'problem';
    const nextInSeconds = problem === null ? RECHECK_CONNECTED_S : RECHECK_PROBLEM_S;
    const isNumberVerified = outcome.kind === 'ok';
    const number = outcome.kind === 'ok' ? detailsOf(outcome.value) : null;
    const changed = await this.connections.recordProbe(business_id, { status, problem, number, isNumberVerified, nextInSeconds, claim });
    if (changed) this.rpc.announce(ConnectionChanged, { business_id });
  }

  private async recordUnreadableToken(business_id: number, claim: string): Promise<void> {
    this.logger.error({ business_id }, 'the access token of a connection does not open; it has to be saved again');
    const found = { status: 'problem', problem: UNREADABLE_TOKEN, number: null, isNumberVerified: false } as const;
    const changed = await this.connections.recordProbe(business_id, { ...found, nextInSeconds: RECHECK_PROBLEM_S, claim });
    if (changed) this.rpc.announce(ConnectionChanged, { business_id });
  }
}

function detailsOf(node: PhoneNumberNode): NumberDetails {
  return {
    display_phone_number: node.display_phone_number ?? null,
    verified_name: node.verified_name ?? null,
    quality_rating: node.quality_rating ?? null,
    messaging_limit: node.whatsapp_business_manager_messaging_limit ?? null,
    throughput: node.throughput?.level ?? null,
  };
}

/**
 * Whether a probe shows that the number can send or cannot. An outage or a limit of the platform shows neither, nor does a
 * refusal without a known problem while the connection works (platform §3.3): the state of the connection stays until the next probe.
 */
export function isConclusive<T>(
  outcome: ReadOutcome<T>,
  known: Connection['status'],
): outcome is Exclude<ReadOutcome<T>, { kind: 'unavailable' }> {
  if (outcome.kind !== 'refused') return outcome.kind === 'ok';
  const { sideEffect, retry, platformCode }: Refusal = outcome.refusal;
  return sideEffect === 'connection-problem' || (known !== 'connected' && retry === 'never' && platformCode !== null);
}

/** @returns null if the number can send */
export function problemOf({ status, health_status }: PhoneNumberNode): string | null {
  if (status !== undefined && status !== 'CONNECTED') return `The number is ${status}.`;
  if (health_status?.can_send_message !== 'BLOCKED') return null;
  const first = health_status.entities?.flatMap(({ errors }) => errors ?? [])[0];
  return first ? `${first.error_code}: ${first.error_description}` : 'The platform blocks messages from this number.';
}
