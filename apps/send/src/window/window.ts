import { GatewayError, type ErrorExtras } from '@mgw/contracts';

/** The members of a WINDOW_CLOSED error, whether the gateway or the platform found the window closed (spec §7, §2.6). */
export function windowClosedExtras(lastInboundAt: Date | null): ErrorExtras {
  return {
    session_window: { open: false, last_inbound_at: lastInboundAt?.toISOString() ?? null },
    hint: 'Send an approved template instead (POST /send-template): templates need no open window.',
  };
}

/** Text and media need an open 24-hour window (spec §3.2). */
export function windowClosed(lastInboundAt: Date | null): GatewayError {
  const message = 'The 24-hour window is closed: the recipient has not written to this business within the last 24 hours.';
  return new GatewayError('WINDOW_CLOSED', message, windowClosedExtras(lastInboundAt));
}
