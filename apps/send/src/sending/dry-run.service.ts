import { Injectable } from '@nestjs/common';
import type { CheckSend, GatewayError, ResponseOf, RequestOf } from '@mgw/contracts';
import type { RpcContext } from '@mgw/rpc';
import { ReservationService } from '../intents/reservation.service';
import { recipientSuppressed } from '../suppression/suppression';
import { windowClosed } from '../window/window';
import { MessageChecks, NO_RECIPIENT, type PrepareMessage } from './message-checks.service';
import { MessageKinds } from './message-kinds.service';
import { dailyLimitReached } from './send-errors';

/** Fills the place of a code that the send would generate. */
const ANY_CODE = '000000';

/** Makes every check of a send, and neither stores nor sends anything. */
@Injectable()
export class DryRunService {
  constructor(
    private readonly kinds: MessageKinds,
    private readonly checks: MessageChecks,
    private readonly reservations: ReservationService,
  ) {}

  async check(request: RequestOf<typeof CheckSend>, context: RpcContext): Promise<ResponseOf<typeof CheckSend>> {
    const { sender, to, content } = request;
    const problems: GatewayError[] = [];
    const report = (problem: GatewayError) => void problems.push(problem);
    const { outgoing } = await this.checks.examine(sender, context, this.prepare(request, context), report);
    const needsWindow = content.kind !== 'template' && content.kind !== 'otp';
    const marketing = outgoing?.template?.category === 'MARKETING';
    const state = await this.reservations.preview(sender, to, { type: content.kind, marketing });
    if (state.refusedBy !== null) report(recipientSuppressed(state.refusedBy));
    if (to !== null && needsWindow && !state.windowOpen) report(windowClosed(state.lastInboundAt));
    if (state.remaining === 0) report(dailyLimitReached(sender, state));
    return {
      problems: problems.map(({ error_code, message, extras }) => ({ error_code, message, details: extras['details'] as never })),
      text: outgoing?.text ?? '',
      session_window: to === null ? null : { open: state.windowOpen, last_inbound_at: state.lastInboundAt?.toISOString() ?? null },
      suppression_state: state.suppression,
      daily_remaining: sender.daily_limit === null ? null : state.remaining,
    };
  }

  private prepare({ sender, to, content }: RequestOf<typeof CheckSend>, context: RpcContext): PrepareMessage | null {
    const addressed = { sender, to: to ?? NO_RECIPIENT };
    if (content.message === null) return null;
    switch (content.kind) {
      case 'template': {
        const request = { ...content.message, ...addressed };
        return (report) => this.kinds.template(request, context, report);
      }
      case 'otp': {
        const request = { ...content.message, ...addressed, otp: content.message.otp ?? ANY_CODE };
        return (report) => this.kinds.otp(request, context, report);
      }
      default: {
        const { kind, message } = content;
        return () => this.kinds[kind]({ ...message, ...addressed } as never);
      }
    }
  }
}
