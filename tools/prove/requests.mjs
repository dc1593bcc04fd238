// One request of a client to the REST API, and how it ended.

const TIMEOUT_MS = 40_000;

/** @returns what the client saw; status 0 without a response */
export async function ask(url, { body, headers, query }) {
  const at = Date.now();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body), signal };
  try {
    const response = await (query ? fetch(`${url}?${new URLSearchParams(body)}`, { headers, signal }) : fetch(url, post));
    const { error_code, message_id, otp } = await response.json();
    return { at, ms: Date.now() - at, status: response.status, error_code, message_id, otp };
  } catch {
    return { at, ms: Date.now() - at, status: 0 };
  }
}

/** Whether a client with an Idempotency-Key asks no more: accepted, or refused for good. */
export function isSettled({ status }) {
  return status === 200 || (status >= 400 && status < 500 && status !== 409 && status !== 429);
}
