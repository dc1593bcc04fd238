import { api, ask, type Schemas } from './client';

export type ApiKey = Schemas['ApiKeys']['api_keys'][number];

/** The business's API keys with today's use of their caps. */
export const keysQuery = { queryKey: ['api-keys'], queryFn: () => ask(api.GET('/api/client/api-keys')) };
