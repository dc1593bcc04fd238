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
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
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
  template: Handler<typeof SendTemplate> = (request, context) =>
    this.pipeline.send(request.sender, context, (report) => this.kinds.template(request, context, report));

  @Handles(SendText)
  text: Handler<typeof SendText> = (request, context) => this.pipeline.send(request.sender, context, () => this.kinds.text(request));

  @Handles(SendMedia)
  media: Handler<typeof SendMedia> = (request, context) => this.pipeline.send(request.sender, context, () => this.kinds.media(request));

  @Handles(SendInteractive)
  interactive: Handler<typeof SendInteractive> = (request, context) =>
    this.pipeline.send(request.sender, context, () => this.kinds.interactive(request));

  @Handles(SendLocation)
  location: Handler<typeof SendLocation> = (request, context) =>
    this.pipeline.send(request.sender, context, () => this.kinds.location(request));

  @Handles(SendContacts)
  contacts: Handler<typeof SendContacts> = (request, context) =>
    this.pipeline.send(request.sender, context, () => this.kinds.contacts(request));

  @Handles(SendReaction)
  reaction: Handler<typeof SendReaction> = (request, context) =>
    this.pipeline.send(request.sender, context, () => this.kinds.reaction(request));

  @Handles(SendOtp)
  otp: Handler<typeof SendOtp> = (request, context) => this.otps.send(request, context);

  @Handles(CheckSend)
  check: Handler<typeof CheckSend> = (request, context) => this.dryRuns.check(request, context);

  @Handles(FindSends)
  find: Handler<typeof FindSends> = async ({ business_id, message_ids }) => ({
    sends: await this.sendsById.find(business_id, message_ids),
  });

  @Handles(GetDailyUsage)
  dailyUsage: Handler<typeof GetDailyUsage> = async ({ api_keys }) => ({ used: await this.intents.dailyUsage(api_keys) });

  @Handles(CheckDailyCap)
  async checkDailyCap({ messages, at, sender }: RequestOf<typeof CheckDailyCap>): Promise<ResponseOf<typeof CheckDailyCap>> {
    const { api_key_id, daily_limit, timezone } = sender;
    const day = await this.intents.dailyCapAt(api_key_id, timezone, at);
    if (day.used + messages <= daily_limit) return {};
    const left = Math.max(0, daily_limit - day.used);
    throw dailyLimitReached(sender, day, `${messages} messages exceed the ${left} that are left of the daily limit of ${daily_limit}.`);
  }
}
