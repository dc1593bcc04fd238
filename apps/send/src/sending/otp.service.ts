import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ResponseOf, RequestOf, SendOtp, Sender } from '@mgw/contracts';
import type { RpcContext } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { MessageKinds } from './message-kinds.service';
import { SendPipeline } from './send-pipeline.service';
import { OtpStore } from './otp.store';

/** Sends a one-time password through a template (spec §4.7). */
@Injectable()
export class OtpService {
  constructor(
    private readonly pipeline: SendPipeline,
    private readonly kinds: MessageKinds,
    private readonly sealer: Sealer,
    private readonly store: OtpStore,
  ) {}

  async send(request: RequestOf<typeof SendOtp>, context: RpcContext): Promise<ResponseOf<typeof SendOtp>> {
    const { sender } = request;
    const code = request.otp ?? generateCode();
    const sent = await this.pipeline.send(sender, context, async (report) => ({
      ...(await this.kinds.otp({ ...request, otp: code }, context, report)),
      beforeCall: (intentId) => this.storeGeneratedCode(sender, intentId, request.otp === null ? code : null),
    }));
    return { ...sent, otp: sent.replayed && request.otp === null ? await this.replayedCode(sender) : code };
  }

  private async storeGeneratedCode({ idempotency }: Sender, intentId: string, code: string | null): Promise<void> {
    if (idempotency === null || code === null) return;
    await this.store.save(intentId, this.sealer.seal(code, `send.otp:${intentId}`));
  }

  private async replayedCode(sender: Sender): Promise<string> {
    const stored = await this.store.find(sender);
    if (!stored) throw new Error('the OTP of a replayed send is not stored');
    return this.sealer.open(stored.otp_sealed, `send.otp:${stored.intent_id}`);
  }
}

/** @returns six random digits, possibly with leading zeros */
function generateCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}
