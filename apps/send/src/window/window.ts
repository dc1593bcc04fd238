import { GatewayError, type ErrorExtras } from '@mgw/contracts';

/** What spec §7 and §2.6 add to a WINDOW_CLOSED error, whoever found the window closed. */
export function windowClosedExtras(lastInboundAt: Date | null): ErrorExtras {
  return {
    session_window: { open: false, last_inbound_at: lastInboundAt?.toISOString() ?? null },
    hint: 'Send an approved template instead (POST /send-template): templates need no open window.',
  };
}

/** Free-form messages need an open 24-hour window (spec §3.2). */
export function windowClosed(lastInboundAt: Date | null): GatewayError {
  const message = 'The 24-hour window is closed: the recipient has not written to this business within the last 24 hours.';
  return new GatewayError('WINDOW_CLOSED', message, windowClosedExtras(lastInboundAt));
}
