import { env } from '@mgw/config';

/** Settings of every service that calls the platform. */
export const graphSettings = {
  graphBaseUrl: env.url('META_GRAPH_BASE_URL', { doc: "the platform's address", default: 'https://graph.facebook.com' }),
  graphVersion: env.text('META_GRAPH_VERSION', { doc: 'version of the Graph API', default: 'v26.0' }),
};
