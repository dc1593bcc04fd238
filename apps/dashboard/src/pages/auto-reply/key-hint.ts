import type { Schemas } from '../../api/client';

/** Describes the key field. The gateway removes a stored key when the model's URL moves to another host. */
export function keyHint({ has_api_key, base_url }: Schemas['AutoReply'], wanted: string | null): string {
  if (!has_api_key) return 'Not set.';
  return originOf(wanted) === originOf(base_url)
    ? 'Set. It is never shown.'
    : 'The stored key is for the previous URL and will be removed. Enter the key for the new one.';
}

const originOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).origin : url);
