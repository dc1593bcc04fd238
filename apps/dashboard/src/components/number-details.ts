import type { Schemas } from '../api/client';
import { phoneShown } from './phone-shown';

const QUALITIES: Record<string, string> = { GREEN: 'high', YELLOW: 'medium', RED: 'low' };
const SUFFIXES: Record<string, number> = { K: 1_000, M: 1_000_000 };

type NumberDetails = Pick<Schemas['Connection'], 'display_phone_number' | 'quality_rating' | 'messaging_limit'>;

/** The number as people write it, and what WhatsApp reports about it; a member is null while that is unknown. */
export function numberDetails({ display_phone_number: number, quality_rating, messaging_limit }: NumberDetails) {
  const phone = number === null ? null : phoneShown(number);
  return { phone, quality: QUALITIES[quality_rating ?? ''] ?? null, limit: limitOf(messaging_limit) };
}

/** @param tier `TIER_250`, `TIER_10K`, `TIER_UNLIMITED` */
function limitOf(tier: string | null): string | null {
  if (tier === 'TIER_UNLIMITED') return 'unlimited customers a day';
  const [, digits, suffix = ''] = /^TIER_(\d+)([KM]?)$/.exec(tier ?? '') ?? [];
  if (digits === undefined) return null;
  return `${new Intl.NumberFormat('en').format(Number(digits) * (SUFFIXES[suffix] ?? 1))} customers a day`;
}
