// One request of a client to the REST API, and its outcome.

const TIMEOUT_MS = 40_000;

/** @returns the outcome for the client; status 0 without a response */
export async function requestOnce(url, { body, headers, query }) {
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

/** Whether the response is final for a client with an Idempotency-Key: accepted, or refused for good. */
export function isFinal({ status }) {
  return status === 200 || (status >= 400 && status < 500 && status !== 409 && status !== 429);
}
