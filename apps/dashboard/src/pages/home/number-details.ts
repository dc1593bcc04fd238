import type { Schemas } from '../../api/client';

const QUALITY: Record<string, string> = { GREEN: 'high', YELLOW: 'medium', RED: 'low' };
const SUFFIXES: Record<string, number> = { K: 1_000, M: 1_000_000 };

/** The number as people write it, and what WhatsApp says of it. Its tiers are `TIER_250`, `TIER_10K`, `TIER_UNLIMITED`. */
export function numberDetails({
  display_phone_number: number,
  quality_rating,
  messaging_limit,
}: Pick<Schemas['Connection'], 'display_phone_number' | 'quality_rating' | 'messaging_limit'>) {
  const phone = number === null ? null : /^\d+$/.test(number) ? `+${number}` : number;
  const quality = QUALITY[quality_rating ?? ''];
  const limit = limitOf(messaging_limit);
  return { phone, details: [...(quality ? [`Quality ${quality}`] : []), ...(limit ? [limit] : [])] };
}

function limitOf(tier: string | null): string | null {
  if (tier === 'TIER_UNLIMITED') return 'unlimited customers a day';
  const [, digits, suffix = ''] = /^TIER_(\d+)([KM]?)$/.exec(tier ?? '') ?? [];
  if (digits === undefined) return null;
  return `${new Intl.NumberFormat('en').format(Number(digits) * (SUFFIXES[suffix] ?? 1))} customers a day`;
}
