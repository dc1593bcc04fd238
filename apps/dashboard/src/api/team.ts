import { api, request } from './client';

/** The people of the business. */
export const teamQuery = { queryKey: ['team'], queryFn: () => request(api.GET('/api/client/team')) };
