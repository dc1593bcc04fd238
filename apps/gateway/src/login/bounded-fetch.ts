import type { CustomFetch } from 'openid-client';

/** Largest response of a provider: its keys and tokens have some kilobytes. */
const MAX_BYTES = 256 * 1024;

/** Fetches without following redirects, and fails for a long body. The caller's signal bounds the time. */
export const boundedFetch: CustomFetch = async (url, { body, headers, method, signal }) => {
  const request = { body, headers, method, redirect: 'manual', ...(signal && { signal }) } as RequestInit;
  const response = await fetch(url, request);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return new Response(size > 0 ? Buffer.concat(chunks) : null, response);
};
