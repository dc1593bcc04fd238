import { Injectable } from '@nestjs/common';
import { GatewayError, notConnected, type Connection, type ConnectionCheck } from '@mgw/contracts';
import { GraphClient, refusedByPlatform, type BusinessAccountTarget, type PhoneNumberTarget } from '@mgw/platform-api';
import { Sealer } from '@mgw/sealing';
import { Shares } from '@mgw/shares';
import { checksWithoutToken, connectionChecks } from './connection-checks';
import { ConnectionsStore } from './connections.store';
import { isConclusive, problemOf, ProbeService } from './probe.service';

/** Checks that a process runs at once, and the platform calls of each. */
export const MAX_CHECKS = 8;
export const CALLS_OF_A_CHECK = 5;
const CALL_TIMEOUT_MS = 8_000;

type Target = PhoneNumberTarget & BusinessAccountTarget;

/** Checks a connection part by part while a person waits, and subscribes its app. */
@Injectable()
export class ConnectionChecks {
  private readonly running = new Shares({ places: MAX_CHECKS, largest: 1 / 4 });

  constructor(
    private readonly connections: ConnectionsStore,
    private readonly probing: ProbeService,
    private readonly graph: GraphClient,
    private readonly sealer: Sealer,
  ) {}

  check(businessId: number, callbackUrl: string): Promise<ConnectionCheck[]> {
    return this.withTarget(businessId, async (connection, target) => {
      if (target === null) return checksWithoutToken();
      const deadlineAt = Date.now() + CALL_TIMEOUT_MS;
      const appSecret = this.sealer.openOrNull(connection.app_secret_sealed, `connection.app_secret:${businessId}`);
      const [token, number, proof, apps, callback] = await Promise.all([
        this.graph.debugToken(target.accessToken, deadlineAt),
        this.graph.getPhoneNumber(target, deadlineAt),
        appSecret === null ? null : this.graph.proveAppSecret(target, appSecret, deadlineAt),
        this.graph.listSubscribedApps(target, deadlineAt),
        this.graph.getWebhookConfiguration(target, deadlineAt),
      ]);
      const works = number.kind === 'ok' && problemOf(number.value) === null;
      // The state that the dashboard shows must agree with the check list.
      if (isConclusive(number, connection.status) && works !== (connection.status === 'connected')) await this.probing.probeNow(businessId);
      return connectionChecks(connection, { token, number, proof, apps, callback }, callbackUrl);
    });
  }

  async subscribe(businessId: number): Promise<void> {
    const outcome = await this.withTarget(businessId, (_, target) => {
      if (target === null) throw notConnected();
      return this.graph.subscribeToAccount(target, Date.now() + CALL_TIMEOUT_MS);
    });
    if (outcome.kind === 'refused') throw refusedByPlatform(outcome.refusal);
    if (outcome.kind === 'unavailable')
      throw new GatewayError('OUTCOME_UNKNOWN', 'WhatsApp gave no clear response, so the app may be subscribed. Check again in a moment.');
  }

  /** @param work gets null if the access token does not open */
  private async withTarget<T>(businessId: number, work: (connection: Connection, target: Target | null) => Promise<T>): Promise<T> {
    const connection = await this.connections.find(businessId);
    if (!connection) throw notConnected();
    const release = this.running.tryTake(String(businessId));
    if (release === null)
      throw new GatewayError('RATE_LIMITED', 'Other checks are running. Try again in a moment.', { retry_after_seconds: 5 });
    try {
      const { phone_number_id: phoneNumberId, business_account_id: businessAccountId } = connection;
      const accessToken = this.sealer.openOrNull(connection.access_token_sealed, `connection.access_token:${businessId}`);
      return await work(connection, accessToken === null ? null : { phoneNumberId, businessAccountId, accessToken });
    } finally {
      release();
    }
  }
}
