import { Body, Controller, Get, Post, Put, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import {
  CostSummary,
  Currency,
  GetAutoReply,
  GetCosts,
  ListAutoReplies,
  Money,
  Nullable,
  SetAutoReply,
  TryAutoReply,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { AuditStore } from '../audit/audit.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { dayOf, zoneInForce } from '../businesses/zones';
import { queryOptional } from '../requests/optional-query';
import { pageOf, PageQuery } from '../requests/page';
import { changedFields, withoutNulls } from '../requests/without-nulls';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { IsBoolean, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsMessageText } from '../requests/field-rules';
import { IsText } from '../requests/is-text';

/** Absent fields stay unchanged; null removes `base_url`, `api_key` and `daily_cost_limit`. */
@JSONSchema({ example: { enabled: true, instructions: 'We sell saris. Answer in one sentence.', daily_limit: 100 } })
class ChangeAutoReplyRequest {
  @IsOptional()
  @IsBoolean()
  enabled?: boolean | null;

  @IsOptional()
  @IsString()
  @MaxLength(8_000)
  instructions?: string | null;

  @IsOptional()
  @IsText(1, 200)
  model?: string | null;

  /** Address of an OpenAI-compatible API. A new host removes the stored key, unless `api_key` comes with it. */
  @ValidateIf((request: ChangeAutoReplyRequest) => request.base_url !== undefined && request.base_url !== null)
  @IsText(1, 2048)
  base_url?: string | null;

  @ValidateIf((request: ChangeAutoReplyRequest) => request.api_key !== undefined && request.api_key !== null)
  @IsText(1, 1024)
  api_key?: string | null;

  /** Maximum number of automatic replies within 24 hours. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100_000)
  daily_limit?: number | null;

  /** Maximum cost of the replies of a day, in the currency of the rate card, by the rate of service messages. */
  @IsOptional()
  @Matches(/^\d{1,6}(\.\d{1,6})?$/, { message: 'daily_cost_limit must be an amount with a decimal point as text, such as "12.5"' })
  daily_cost_limit?: string | null;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(10_080)
  quiet_when_agent_active_minutes?: number | null;

  /** Whether the customer sees that a reply is being written; it also marks their message as read. */
  @IsOptional()
  @IsBoolean()
  show_typing?: boolean | null;
}

@JSONSchema({ example: { text: 'Are you open?' } })
class TryAutoReplyRequest {
  @IsMessageText()
  text!: string;
}

const AutoReplyResponse = Type.Object(
  {
    ...GetAutoReply.response.properties,
    counted_today: { ...Money, description: 'The cost of today’s replies that `daily_cost_limit` counts.' } as typeof Money,
    costs: Nullable({
      ...Type.Object({ currency: Nullable(Currency), today: CostSummary, month: CostSummary }),
      description: 'Delivered replies of this day and month by the rate card; null while costs are not available.',
    }),
  },
  { title: 'AutoReply' },
);
const EnabledResponse = Type.Object({ enabled: Type.Boolean() }, { title: 'AutoReplyEnabled' });
const RepliesResponse = Type.Object(ListAutoReplies.response.properties, { title: 'AutoReplies' });
const Saved = Type.Object(
  {
    message: Type.String(),
    api_key_removed: Type.Boolean({ description: 'The stored key was for the previous host of `base_url`: give one for the new host.' }),
  },
  { title: 'SavedAutoReply' },
);
const KEY_REMOVED = 'Auto-reply saved. The API key was removed, because it was for the previous address: enter the key for the new one.';
const Tried = Type.Object({ reply: Type.String() }, { title: 'TriedAutoReply' });

const NO_COSTS: CostSummary = { cost: '0', charged: 0, free: 0, without_rate: 0 };

/** A language model replies to customers within the window (spec §10). */
@Controller('api/client/auto-reply')
@NeedsSession()
export class AutoReplyController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    private readonly businesses: BusinessesStore,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(AutoReplyResponse, 'Show the auto-reply settings')
  async show(@CurrentUser() { business_id }: BusinessUser) {
    const timezone = zoneInForce(await this.businesses.get(business_id));
    const today = dayOf(new Date(), timezone);
    const since = (from: string) => queryOptional(this.rpc, GetCosts, { business_id, timezone, of: { sent_by: 'ai', from, to: today } });
    const [settings, day, month] = await Promise.all([
      this.rpc.call(GetAutoReply, { business_id }),
      since(today),
      since(`${today.slice(0, 'YYYY-MM'.length)}-01`),
    ]);
    const costs = day && month && { currency: day.currency, today: day.costs[0] ?? NO_COSTS, month: month.costs[0] ?? NO_COSTS };
    return { ...settings, costs };
  }

  @Get('enabled')
  @Responds(EnabledResponse, 'Show whether the business uses automatic replies, also to agents')
  async showEnabled(@CurrentUser() { business_id }: BusinessUser) {
    const { enabled } = await this.rpc.call(GetAutoReply, { business_id });
    return { enabled };
  }

  @Put()
  @Responds(Saved, 'Change the auto-reply settings; absent fields stay unchanged. A new host in `base_url` removes the key')
  async change(@CurrentUser() { user_id, business_id }: BusinessUser, @Body() request: ChangeAutoReplyRequest) {
    const business = await this.businesses.get(business_id);
    const { base_url, api_key, daily_cost_limit, ...rest } = request;
    const api_key_sealed = api_key && this.sealer.seal(api_key, `auto_reply.api_key:${business_id}`);
    const change = {
      ...withoutNulls(rest),
      business_id,
      plan: business.plan,
      timezone: zoneInForce(business),
      ...(base_url !== undefined && { base_url }),
      ...(daily_cost_limit !== undefined && { daily_cost_limit }),
      ...(api_key_sealed !== undefined && { api_key_sealed: api_key_sealed || null }),
    };
    // Names only: instructions and addresses may contain secrets.
    const detail = { changed: changedFields(request, ['base_url', 'api_key', 'daily_cost_limit']), enabled: rest.enabled };
    const { api_key_removed = false } = await this.audit.record(
      { user_id, business_id, action: 'auto-reply.changed', target: null, detail },
      () => this.rpc.call(SetAutoReply, change),
      (saved) => ({ detail: { ...detail, ...saved } }),
    );
    return { message: api_key_removed ? KEY_REMOVED : 'Auto-reply saved.', api_key_removed };
  }

  @Post('try')
  @Responds(Tried, 'Show the reply that the model would write; nothing is sent', { errors: TryAutoReply.errors })
  async try(@CurrentUser() { user_id, business_id }: BusinessUser, @Body() { text }: TryAutoReplyRequest) {
    // The business pays for the model's reply.
    return this.audit.record({ user_id, business_id, action: 'auto-reply.tried', target: null, detail: {} }, () =>
      this.rpc.call(TryAutoReply, { business_id, text }),
    );
  }

  @Get('replies')
  @Responds(RepliesResponse, 'List automatic replies, and why messages got none, the newest first')
  replies(@CurrentUser() { business_id }: BusinessUser, @Query() query: PageQuery) {
    return this.rpc.call(ListAutoReplies, { business_id, ...pageOf(query) });
  }
}
