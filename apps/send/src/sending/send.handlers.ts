import { Controller } from '@nestjs/common';
import { FindSend, GetDailyUsage, SendMedia, SendOtp, SendTemplate, SendText, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles, type RpcContext } from '@mgw/rpc';
import { FindSendService } from './find-send.service';
import { OtpService } from './otp.service';
import { SendService } from './send.service';

@Controller()
export class SendHandlers {
  constructor(
    private readonly sending: SendService,
    private readonly otps: OtpService,
    private readonly finding: FindSendService,
  ) {}

  @Handles(SendTemplate)
  template(request: RequestOf<typeof SendTemplate>, context: RpcContext): Promise<ReplyOf<typeof SendTemplate>> {
    return this.sending.template(request, context);
  }

  @Handles(SendText)
  text(request: RequestOf<typeof SendText>, context: RpcContext): Promise<ReplyOf<typeof SendText>> {
    return this.sending.text(request, context);
  }

  @Handles(SendMedia)
  media(request: RequestOf<typeof SendMedia>, context: RpcContext): Promise<ReplyOf<typeof SendMedia>> {
    return this.sending.media(request, context);
  }

  @Handles(SendOtp)
  otp(request: RequestOf<typeof SendOtp>, context: RpcContext): Promise<ReplyOf<typeof SendOtp>> {
    return this.otps.send(request, context);
  }

  @Handles(FindSend)
  async find({ business_id, message_id }: RequestOf<typeof FindSend>): Promise<ReplyOf<typeof FindSend>> {
    return { send: await this.finding.find(business_id, message_id) };
  }

  @Handles(GetDailyUsage)
  async dailyUsage({ api_keys }: RequestOf<typeof GetDailyUsage>): Promise<ReplyOf<typeof GetDailyUsage>> {
    return { used: await this.finding.dailyUsage(api_keys) };
  }
}
