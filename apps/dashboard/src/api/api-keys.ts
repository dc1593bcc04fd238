import { api, request, type Schemas } from './client';

export type ApiKey = Schemas['ApiKeys']['api_keys'][number];

/** The business's API keys with today's usage. */
export const keysQuery = { queryKey: ['api-keys'], queryFn: () => request(api.GET('/api/client/api-keys')) };
