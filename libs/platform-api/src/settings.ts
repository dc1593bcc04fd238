import { env } from '@mgw/config';

/** Settings of every service that calls the platform. */
export const graphSettings = {
  graphBaseUrl: env.url('META_GRAPH_BASE_URL', { doc: "the platform's address", default: 'https://graph.facebook.com' }),
  graphVersion: env.parsed('META_GRAPH_VERSION', { doc: 'version of the Graph API', default: 'v26.0' }, version),
};

/** Any other text would fail every call. @throws Error unless it is a version of the Graph API */
function version(text: string): string {
  if (!/^v\d+\.\d+$/.test(text)) throw new Error('must be a version such as v26.0');
  return text;
}
