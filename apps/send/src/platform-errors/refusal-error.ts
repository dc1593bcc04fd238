import { GatewayError, gatewayMessageId, type ErrorExtras } from '@mgw/contracts';
import { refusalExtras, type Refusal } from '@mgw/platform-api';
import { windowClosedExtras } from '../window/window';

/** The refused message as the send pipeline knows it. */
interface RefusedSend {
  intentId: string;
  template: { name: string; language: string; otherLanguages: string[] } | null;
  lastInboundAt: Date | null;
}

/** Turns the platform's refusal into the error that the gateway's own check would give (spec §7), plus `platform_code` (decisions 23, 23a, 39). */
export function refusalError(refusal: Refusal, send: RefusedSend): GatewayError {
  const message =
    refusal.errorCode.startsWith('TEMPLATE_') && send.template
      ? `Template "${send.template.name}" in language "${send.template.language}": ${refusal.message}`
      : refusal.message;
  return new GatewayError(
    refusal.errorCode,
    message,
    {
      message_id: gatewayMessageId(send.intentId),
      ...refusalExtras(refusal),
      ...extrasFor(refusal, send),
    },
    refusal.status,
  );
}

/** The members that the gateway's own checks add to the same error. */
function extrasFor(refusal: Refusal, send: RefusedSend): ErrorExtras {
  switch (refusal.errorCode) {
    case 'WINDOW_CLOSED':
      return windowClosedExtras(send.lastInboundAt);
    case 'RECIPIENT_SUPPRESSED':
      return { suppression_state: 'opted_out_marketing' };
    case 'TEMPLATE_NOT_FOUND':
      return { available_languages: send.template?.otherLanguages ?? [] };
    case 'TEMPLATE_PARAMS_MISMATCH':
      return parameterCounts(refusal.message);
    default:
      return {};
  }
}

/** `body: number of localizable_params (1) does not match the expected number of params (2)` (platform §1.4). */
function parameterCounts(details: string): ErrorExtras {
  const [, component, given, expected] = /\b(body|header|buttons?): [^()]*\((\d+)\)[^()]*\((\d+)\)/.exec(details) ?? [];
  return component === undefined ? {} : { component, expected: Number(expected), given: Number(given) };
}
