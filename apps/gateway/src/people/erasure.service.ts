import { Inject, Injectable } from '@nestjs/common';
import {
  erasePerson,
  GatewayError,
  HasErasedFiles,
  PEOPLE_SERVICES,
  PrepareErasure,
  type PeopleService,
  type PersonRef,
} from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { AuditStore, contactTarget } from '../audit/audit.store';
import type { BusinessUser } from '../sessions/session-user';
import { ErasuresStore, type OpenErasure } from './erasures.store';

/** Open erasures of one business. */
const MAX_OPEN = 100;
const RETRY_AFTER_SECONDS = 30;
/** How often a gateway looks for a due round, in milliseconds. */
const POLL_EVERY_MS = 2_000;
/** Pause before the next round. Events that a consumer held in memory during a round are stored by then. */
const ROUND_AFTER_SECONDS = 5;
/** Longest pause of an erasure that waits for files only, in seconds. Until then it pauses for a quarter of its age. */
const FILES_WITHIN_SECONDS = 600;
/** Steps of a service between two renewals of the claim: each takes 20 seconds at most. */
const RENEW_EVERY = 2;

type ErasedPerson = PersonRef & { hash_key: string };

/**
 * Erases people. Each round calls every service to erase; the person is erased after a round in which no service found anything. The row of
 * the erasure is the durable command: rounds go on after a crash, on any gateway. When only the store has files of the person, the erasure waits
 * without rounds until they are deleted, and ends with one more round.
 */
@Injectable()
export class ErasureService extends BackgroundLoop {
  constructor(
    private readonly db: Database,
    private readonly erasures: ErasuresStore,
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    private readonly audit: AuditStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'erasing people', logger, retryMs: POLL_EVERY_MS });
  }

  /** @returns the id of the erasure @throws GatewayError RATE_LIMITED with too many open ones */
  async request({ user_id, business_id }: BusinessUser, phone: string, reason: string): Promise<number> {
    if ((await this.erasures.countOpen(business_id)) >= MAX_OPEN)
      throw new GatewayError('RATE_LIMITED', `${MAX_OPEN} erasures are running. Try again when one has ended.`, {
        retry_after_seconds: RETRY_AFTER_SECONDS,
      });
    const person: ErasedPerson = { business_id, ...(await this.rpc.call(PrepareErasure, { business_id, phone })) };
    const id = await this.db.transaction(async (tx) => {
      const added = await this.erasures.add(tx, { business_id, user_id, contact: `…${phone.slice(-4)}`, reason });
      await this.erasures.setPerson(tx, added, this.sealer.seal(JSON.stringify(person), contextOf(added)));
      const target = contactTarget(phone);
      await this.audit.add({ user_id, business_id, action: 'person.erased', target, detail: { erasure_id: added } }, tx);
      return added;
    });
    this.wake();
    return id;
  }

  protected async round(): Promise<number> {
    const erasure = await this.erasures.claim();
    if (erasure === null) return POLL_EVERY_MS;
    const opened = this.sealer.openOrNull(erasure.person_sealed, contextOf(erasure.id));
    if (opened === null) {
      const { id: erasure_id, business_id } = erasure;
      this.logger.error({ erasure_id, business_id }, 'opening the person of an erasure failed; will retry');
      return 0;
    }
    const person = JSON.parse(opened) as ErasedPerson;
    if (erasure.confirmed.length === PEOPLE_SERVICES.length && (await this.waitsForFiles(erasure, person))) return 0;
    const confirmed: PeopleService[] = [];
    for (const service of PEOPLE_SERVICES) if (await this.erase(service, erasure, person)) confirmed.push(service);
    const isComplete = confirmed.length === PEOPLE_SERVICES.length;
    if (isComplete && (await this.waitsForFiles(erasure, person))) return 0;
    await this.erasures.endRound(erasure.id, confirmed, isComplete, ROUND_AFTER_SECONDS);
    if (isComplete) this.logger.info({ erasure_id: erasure.id, business_id: erasure.business_id }, 'a person is erased');
    return 0;
  }

  /** Ends the round until later if files of the person are left. @returns whether they are */
  private async waitsForFiles({ id, age_seconds }: OpenErasure, { business_id, conversation_ids }: ErasedPerson): Promise<boolean> {
    const { has_files } = await this.rpc.call(HasErasedFiles, { business_id, conversation_ids });
    const pause = Math.min(FILES_WITHIN_SECONDS, Math.max(ROUND_AFTER_SECONDS, age_seconds / 4));
    if (has_files) await this.erasures.endRound(id, [...PEOPLE_SERVICES], false, pause);
    return has_files;
  }

  /** @returns whether the service confirms that it holds nothing about the person */
  private async erase(service: PeopleService, { id, requested_at }: OpenErasure, person: ErasedPerson): Promise<boolean> {
    let total = 0;
    let cursor: string | null = null;
    try {
      for (let step = 1; ; step++) {
        const { found, next_cursor }: { found: number; next_cursor: string | null } = await this.rpc.call(erasePerson(service), {
          ...person,
          requested_at: requested_at.toISOString(),
          cursor,
        });
        total += found;
        if (next_cursor === null) return total === 0;
        if (this.isStopping) return false;
        cursor = next_cursor;
        if (step % RENEW_EVERY === 0) await this.erasures.renew(id);
      }
    } catch (error) {
      this.logger.warn({ err: error, people_service: service, erasure_id: id }, 'erasing a person failed; will retry');
      return false;
    }
  }
}

const contextOf = (id: number) => `erasure.person:${id}`;
