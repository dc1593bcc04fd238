import { ApiError, RESPONSE_WITHIN_MS } from './client';

/**
 * Uploads a file. It uses XMLHttpRequest, because `fetch` reports no progress. An upload without progress or a response ends like any other
 * request (decision 729).
 * @param onProgress gets the uploaded part, from 0 to 1
 */
export function uploadFile<Uploaded>(path: string, file: File, onProgress: (part: number) => void, signal: AbortSignal): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    const end = () => {
      reject(new Error('The server did not respond.'));
      call.abort();
    };
    let late = setTimeout(end, RESPONSE_WITHIN_MS);
    call.open('POST', `${path}?filename=${encodeURIComponent(file.name)}`);
    call.setRequestHeader('content-type', file.type);
    call.upload.onprogress = ({ loaded, total }) => {
      clearTimeout(late);
      late = setTimeout(end, RESPONSE_WITHIN_MS);
      onProgress(loaded / Math.max(1, total));
    };
    call.onerror = () => reject(new Error('The connection broke.'));
    call.onload = () => (call.status === 200 ? resolve(JSON.parse(call.responseText) as Uploaded) : reject(errorOf(call)));
    call.onloadend = () => clearTimeout(late);
    signal.addEventListener('abort', () => call.abort());
    call.send(file);
  });
}

function errorOf(call: XMLHttpRequest): ApiError {
  const { error, error_code, hint } = parsed(call.responseText);
  const requestId = call.getResponseHeader('x-request-id');
  return new ApiError(call.status, error_code ?? 'INTERNAL', error ?? 'The server did not take the file.', [], hint, requestId);
}

function parsed(text: string): { error?: string; error_code?: string; hint?: string } {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
