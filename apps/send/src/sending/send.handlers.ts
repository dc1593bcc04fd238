import { Controller } from '@nestjs/common';
import {
  CheckDailyCap,
  CheckSend,
  FindSends,
  GetDailyUsage,
  SendContacts,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendOtp,
  SendReaction,
  SendTemplate,
  SendText,
  type ReplyOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles, type RpcContext } from '@mgw/rpc';
import { IntentStore } from '../intents/intent.store';
import { DryRunService } from './dry-run.service';
import { FindSendsService } from './find-sends.service';
import { MessageKinds } from './message-kinds.service';
import { OtpService } from './otp.service';
import { dailyLimitReached } from './send-errors';
import { SendPipeline } from './send-pipeline.service';

/** The send service's requests, each with its handler. */
@Controller()
export class SendHandlers {
  constructor(
    private readonly pipeline: SendPipeline,
    private readonly kinds: MessageKinds,
    private readonly otps: OtpService,
    private readonly dryRuns: DryRunService,
    private readonly sendsById: FindSendsService,
    private readonly intents: IntentStore,
  ) {}

  @Handles(SendTemplate)
  template(request: RequestOf<typeof SendTemplate>, context: RpcContext): Promise<ReplyOf<typeof SendTemplate>> {
    return this.pipeline.send(request.sender, context, (report) => this.kinds.template(request, context, report));
  }

  @Handles(SendText)
  text(request: RequestOf<typeof SendText>, context: RpcContext): Promise<ReplyOf<typeof SendText>> {
    return this.pipeline.send(request.sender, context, () => this.kinds.text(request));
  }

  @Handles(SendMedia)
  media(request: RequestOf<typeof SendMedia>, context: RpcContext): Promise<ReplyOf<typeof SendMedia>> {
    return this.pipeline.send(request.sender, context, () => this.kinds.media(request));
  }

  @Handles(SendInteractive)
  interactive(request: RequestOf<typeof SendInteractive>, context: RpcContext): Promise<ReplyOf<typeof SendInteractive>> {
    return this.pipeline.send(request.sender, context, () => this.kinds.interactive(request));
  }

  @Handles(SendLocation)
  location(request: RequestOf<typeof SendLocation>, context: RpcContext): Promise<ReplyOf<typeof SendLocation>> {
    return this.pipeline.send(request.sender, context, () => this.kinds.location(request));
  }

  @Handles(SendContacts)
  contacts(request: RequestOf<typeof SendContacts>, context: RpcContext): Promise<ReplyOf<typeof SendContacts>> {
    return this.pipeline.send(request.sender, context, () => this.kinds.contacts(request));
  }

  @Handles(SendReaction)
  reaction(request: RequestOf<typeof SendReaction>, context: RpcContext): Promise<ReplyOf<typeof SendReaction>> {
    return this.pipeline.send(request.sender, context, () => this.kinds.reaction(request));
  }

  @Handles(SendOtp)
  otp(request: RequestOf<typeof SendOtp>, context: RpcContext): Promise<ReplyOf<typeof SendOtp>> {
    return this.otps.send(request, context);
  }

  @Handles(CheckSend)
  check(request: RequestOf<typeof CheckSend>, context: RpcContext): Promise<ReplyOf<typeof CheckSend>> {
    return this.dryRuns.check(request, context);
  }

  @Handles(FindSends)
  async find({ business_id, message_ids }: RequestOf<typeof FindSends>): Promise<ReplyOf<typeof FindSends>> {
    return { sends: await this.sendsById.find(business_id, message_ids) };
  }

  @Handles(GetDailyUsage)
  async dailyUsage({ api_keys }: RequestOf<typeof GetDailyUsage>): Promise<ReplyOf<typeof GetDailyUsage>> {
    return { used: await this.intents.dailyUsage(api_keys) };
  }

  @Handles(CheckDailyCap)
  async checkDailyCap({ messages, at, sender }: RequestOf<typeof CheckDailyCap>): Promise<ReplyOf<typeof CheckDailyCap>> {
    const { api_key_id, daily_limit, timezone } = sender;
    const day = await this.intents.dailyCapAt(api_key_id, timezone, at);
    if (day.used + messages <= daily_limit) return {};
    const left = Math.max(0, daily_limit - day.used);
    throw dailyLimitReached(sender, day, `${messages} messages exceed the ${left} that are left of the daily limit of ${daily_limit}.`);
  }
}
