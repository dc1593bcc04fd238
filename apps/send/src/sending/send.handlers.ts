import { Controller } from '@nestjs/common';
import {
  FindSend,
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
import { FindSendService } from './find-send.service';
import { OtpService } from './otp.service';
import { SendService } from './send.service';

/** The send service's requests, each with its handler. */
@Controller()
export class SendHandlers {
  constructor(
    private readonly sends: SendService,
    private readonly otps: OtpService,
    private readonly findSend: FindSendService,
    private readonly intents: IntentStore,
  ) {}

  @Handles(SendTemplate)
  template(request: RequestOf<typeof SendTemplate>, context: RpcContext): Promise<ReplyOf<typeof SendTemplate>> {
    return this.sends.template(request, context);
  }

  @Handles(SendText)
  text(request: RequestOf<typeof SendText>, context: RpcContext): Promise<ReplyOf<typeof SendText>> {
    return this.sends.text(request, context);
  }

  @Handles(SendMedia)
  media(request: RequestOf<typeof SendMedia>, context: RpcContext): Promise<ReplyOf<typeof SendMedia>> {
    return this.sends.media(request, context);
  }

  @Handles(SendInteractive)
  interactive(request: RequestOf<typeof SendInteractive>, context: RpcContext): Promise<ReplyOf<typeof SendInteractive>> {
    return this.sends.interactive(request, context);
  }

  @Handles(SendLocation)
  location(request: RequestOf<typeof SendLocation>, context: RpcContext): Promise<ReplyOf<typeof SendLocation>> {
    return this.sends.location(request, context);
  }

  @Handles(SendContacts)
  contacts(request: RequestOf<typeof SendContacts>, context: RpcContext): Promise<ReplyOf<typeof SendContacts>> {
    return this.sends.contacts(request, context);
  }

  @Handles(SendReaction)
  reaction(request: RequestOf<typeof SendReaction>, context: RpcContext): Promise<ReplyOf<typeof SendReaction>> {
    return this.sends.reaction(request, context);
  }

  @Handles(SendOtp)
  otp(request: RequestOf<typeof SendOtp>, context: RpcContext): Promise<ReplyOf<typeof SendOtp>> {
    return this.otps.send(request, context);
  }

  @Handles(FindSend)
  async find({ business_id, message_id }: RequestOf<typeof FindSend>): Promise<ReplyOf<typeof FindSend>> {
    return { send: await this.findSend.find(business_id, message_id) };
  }

  @Handles(GetDailyUsage)
  async dailyUsage({ api_keys }: RequestOf<typeof GetDailyUsage>): Promise<ReplyOf<typeof GetDailyUsage>> {
    return { used: await this.intents.dailyUsage(api_keys) };
  }
}
