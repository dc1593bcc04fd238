import { Controller } from '@nestjs/common';
import {
  CancelBroadcast,
  CheckBroadcast,
  CheckDailyCap,
  CheckRetry,
  CreateBroadcast,
  FindSuppressed,
  FindTemplates,
  foreignHeader,
  GatewayError,
  idempotencyMismatch,
  GetBroadcast,
  ListBroadcasts,
  ListRecipients,
  notFound,
  PauseBroadcast,
  ResumeBroadcast,
  RetryBroadcast,
  valueCounts,
  type BroadcastRecord,
  type BroadcastRow,
  type ResponseOf,
  type RequestOf,
  type TemplateShape,
} from '@mgw/contracts';
import { Handles, RpcClient, type RpcContext, type Handler } from '@mgw/rpc';
import { RunnerService } from '../running/runner.service';
import { marketsOf } from './audience';
import { BroadcastsStore, type CreatedBroadcast } from './broadcasts.store';
import { checkRows } from './check-rows';

/** Faults that one response lists. */
const MAX_FAULTS = 100;
const MAX_NAME = 100;
/** How long a check waits for the count of suppressed people, in milliseconds. */
const COUNT_MS = 5_000;
/** How far a start may be in the past, in milliseconds: the caller's clock may be behind. */
const LATE_START_MS = 5 * 60_000;
/** Marks the name of a broadcast that retries another one. */
const RETRY = ' (retry)';

@Controller()
export class BroadcastsHandlers {
  constructor(
    private readonly broadcasts: BroadcastsStore,
    private readonly runner: RunnerService,
    private readonly rpc: RpcClient,
  ) {}

  @Handles(CheckBroadcast)
  async check(request: RequestOf<typeof CheckBroadcast>, context: RpcContext): Promise<ResponseOf<typeof CheckBroadcast>> {
    const { faults, phones, category } = await this.checkRecipients(request, context);
    const wrong = new Set(faults.map(({ line }) => line)).size;
    // A creation reports wrong rows first.
    if (wrong === 0) await this.checkCap(request, context);
    const daily_limit = await this.broadcasts.dailyUse(request);
    const { suppressed, markets } = await this.findAudience(request.business_id, phones, category, context);
    return { total: request.recipients.length, wrong, faults: faults.slice(0, MAX_FAULTS), daily_limit, category, suppressed, markets };
  }

  @Handles(CreateBroadcast)
  async create(request: RequestOf<typeof CreateBroadcast>, context: RpcContext): Promise<ResponseOf<typeof CreateBroadcast>> {
    const earlier = await this.broadcasts.findByKey(request);
    if (earlier) return replayCreation(earlier, request);
    const recipients = await this.requireValidRows(request, context);
    await this.checkCap(request, context);
    const id = await this.broadcasts.create({ ...request, recipients });
    // A concurrent request with the same key has created it.
    if (id === null) return replayCreation((await this.broadcasts.findByKey(request)) as CreatedBroadcast, request);
    this.runner.wake();
    return { id, replayed: false };
  }

  @Handles(CheckRetry)
  async checkRetry(request: RequestOf<typeof CheckRetry>, context: RpcContext): Promise<ResponseOf<typeof CheckRetry>> {
    const { business_id, id } = request;
    const { template_name, language } = await this.requireEnded(business_id, id);
    const { category } = await this.requireTemplate({ business_id, template_name, language }, context);
    const phones = await this.broadcasts.retryablePhones(business_id, id);
    const { suppressed, markets } = await this.findAudience(business_id, phones, category, context);
    const daily_limit = await this.broadcasts.dailyUse({ ...request, template_name, language, scheduled_at: null });
    return { total: phones.length - (suppressed ?? 0), daily_limit, category, suppressed, markets };
  }

  @Handles(RetryBroadcast)
  async retry(request: RequestOf<typeof RetryBroadcast>, context: RpcContext): Promise<ResponseOf<typeof RetryBroadcast>> {
    const { id: of, ...creator } = request;
    const earlier = await this.broadcasts.findByKey(request);
    if (earlier) return replayCreation(earlier, request);
    const ended = await this.requireEnded(creator.business_id, of);
    const { template_name, language } = ended;
    const name = `${ended.name.slice(0, MAX_NAME - RETRY.length)}${RETRY}`;
    const draft = { ...creator, name, template_name, language, scheduled_at: null };
    const template = await this.requireTemplate(draft, context);
    const phones = await this.broadcasts.retryablePhones(creator.business_id, of);
    const suppressed = await this.findSuppressed(creator.business_id, phones, template.category, context);
    const id = await this.broadcasts.retry(draft, of, valueCounts(template), suppressed);
    if (id === null) return replayCreation((await this.broadcasts.findByKey(request)) as CreatedBroadcast, request);
    this.runner.wake();
    return { id, replayed: false };
  }

  @Handles(ListBroadcasts)
  list: Handler<typeof ListBroadcasts> = ({ business_id, limit, cursor }) => this.broadcasts.list(business_id, limit, cursor);

  @Handles(GetBroadcast)
  async get({ business_id, id }: RequestOf<typeof GetBroadcast>): Promise<ResponseOf<typeof GetBroadcast>> {
    const broadcast = await this.broadcasts.find(business_id, id);
    if (!broadcast) throw notFound();
    return {
      broadcast,
      ...(await this.broadcasts.progress(business_id, id)),
      failures: await this.broadcasts.failures(business_id, id),
    };
  }

  @Handles(ListRecipients)
  async recipients(request: RequestOf<typeof ListRecipients>): Promise<ResponseOf<typeof ListRecipients>> {
    if (!(await this.broadcasts.find(request.business_id, request.id))) throw notFound();
    return this.broadcasts.recipients(request);
  }

  @Handles(CancelBroadcast)
  async cancel({ business_id, id }: RequestOf<typeof CancelBroadcast>): Promise<ResponseOf<typeof CancelBroadcast>> {
    if (!(await this.broadcasts.cancel(business_id, id))) throw await this.whyUnchangeable(business_id, id);
    return {};
  }

  @Handles(PauseBroadcast)
  async pause({ business_id, id }: RequestOf<typeof PauseBroadcast>): Promise<ResponseOf<typeof PauseBroadcast>> {
    if (!(await this.broadcasts.pause(business_id, id))) throw await this.whyUnchangeable(business_id, id);
    return {};
  }

  @Handles(ResumeBroadcast)
  async resume({ business_id, id }: RequestOf<typeof ResumeBroadcast>): Promise<ResponseOf<typeof ResumeBroadcast>> {
    if (!(await this.broadcasts.resume(business_id, id))) throw await this.whyUnchangeable(business_id, id);
    this.runner.wake();
    return {};
  }

  /** @throws GatewayError NOT_FOUND, CONFLICT if it has not ended */
  private async requireEnded(businessId: number, id: number): Promise<BroadcastRecord> {
    const broadcast = await this.broadcasts.find(businessId, id);
    if (!broadcast) throw notFound();
    if (broadcast.finished_at === null) throw new GatewayError('CONFLICT', 'This broadcast has not ended yet.');
    return broadcast;
  }

  private async findSuppressed(businessId: number, phones: string[], category: string, context: RpcContext): Promise<string[]> {
    const request = { business_id: businessId, phones, marketing: category === 'MARKETING' };
    return phones.length === 0 ? [] : (await this.rpc.call(FindSuppressed, request, context)).phones;
  }

  /** A check responds without the count of suppressed people if the send service does not respond. */
  private async findAudience(businessId: number, phones: string[], category: string, context: RpcContext) {
    const deadlineAt = Math.min(context.deadlineAt, Date.now() + COUNT_MS);
    const found = await this.findSuppressed(businessId, phones, category, { ...context, deadlineAt }).catch(() => null);
    const suppressed = new Set(found);
    return { suppressed: found && suppressed.size, markets: marketsOf(phones.filter((phone) => !suppressed.has(phone))) };
  }

  /** @throws GatewayError DAILY_LIMIT_REACHED if its key may not send to all recipients on the day on which it starts */
  private async checkCap(
    { charged, plan, timezone, scheduled_at, recipients }: RequestOf<typeof CheckBroadcast>,
    context: RpcContext,
  ): Promise<void> {
    if (!charged || plan === undefined) return;
    const at = scheduled_at !== null && Date.parse(scheduled_at) > Date.now() ? scheduled_at : null;
    await this.rpc.call(CheckDailyCap, { messages: recipients.length, at, sender: { ...charged, plan, timezone } }, context);
  }

  /** The error for a broadcast that cannot be changed. */
  private async whyUnchangeable(businessId: number, id: number): Promise<GatewayError> {
    const ended = await this.broadcasts.find(businessId, id);
    return ended ? new GatewayError('CONFLICT', 'This broadcast has already ended.') : notFound();
  }

  /** @throws GatewayError VALIDATION_FAILED with every invalid row */
  private async requireValidRows(request: RequestOf<typeof CheckBroadcast>, context: RpcContext): Promise<BroadcastRow[]> {
    const { recipients, faults } = await this.checkRecipients(request, context);
    if (faults.length === 0) return recipients;
    const details = faults.slice(0, MAX_FAULTS).map(({ line, field, message }) => ({ field: `line ${line}: ${field}`, message }));
    throw new GatewayError('VALIDATION_FAILED', `${details[0]?.field} ${details[0]?.message}. Nothing was sent.`, { details });
  }

  private async checkRecipients(request: RequestOf<typeof CheckBroadcast>, context: RpcContext) {
    refusePastStart(request.scheduled_at);
    const template = await this.requireTemplate(request, context);
    return { ...checkRows(template, request.recipients), category: template.category };
  }

  /** @throws GatewayError TEMPLATE_NOT_FOUND, VALIDATION_FAILED for a template that a broadcast cannot send */
  private async requireTemplate(
    { business_id, template_name: name, language }: Pick<RequestOf<typeof CheckBroadcast>, 'business_id' | 'template_name' | 'language'>,
    context: RpcContext,
  ): Promise<TemplateShape> {
    const { found } = await this.rpc.call(FindTemplates, { names: [{ business_id, name, language }] }, context);
    const template = found[0]?.template ?? null;
    if (!template) {
      throw new GatewayError('TEMPLATE_NOT_FOUND', `Template "${name}" does not exist or is not approved in language "${language}".`, {
        available_languages: found[0]?.available_languages ?? [],
      });
    }
    const foreign = foreignHeader(template);
    if (foreign) throw foreign;
    if (template.category === 'AUTHENTICATION') {
      const message = `Template "${name}" sends a one-time code, which a broadcast cannot supply.`;
      throw new GatewayError('VALIDATION_FAILED', message, { details: [{ field: 'template_name', message }] });
    }
    return template;
  }
}

function replayCreation(
  { id, fingerprint }: CreatedBroadcast,
  { idempotency }: Pick<RequestOf<typeof CreateBroadcast>, 'idempotency'>,
): { id: number; replayed: boolean } {
  if (fingerprint === idempotency?.fingerprint) return { id, replayed: true };
  throw idempotencyMismatch('broadcast');
}

/** Otherwise a wrong year or zone would send to everybody at once (decision 732). */
function refusePastStart(scheduledAt: string | null): void {
  if (scheduledAt === null || Date.parse(scheduledAt) > Date.now() - LATE_START_MS) return;
  const message = 'must be in the future: leave it out to start at once';
  throw new GatewayError('VALIDATION_FAILED', `scheduled_at ${message}. Nothing was sent.`, {
    details: [{ field: 'scheduled_at', message }],
  });
}
