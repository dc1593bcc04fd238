import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable, PLANS, WebhookRecord } from '@mgw/contracts';
import { ApiKeyRecord } from '../api-keys/api-key.record';
import { broadcastDailyLimit, type Business } from '../businesses/businesses.store';
import { zoneFields, ZONE_FIELDS } from '../businesses/zones';
import { ConnectionView } from '../connection/connection.responses';

const BusinessRecord = Type.Object({
  id: Id,
  name: Type.String(),
  plan: Type.Union(PLANS.map((plan) => Type.Literal(plan))),
  ...ZONE_FIELDS,
  broadcast_daily_limit: Type.Integer({ description: 'Recipients of broadcasts in a day: the operator’s limit, or the plan’s.' }),
  suspended: Type.Boolean(),
  created_at: IsoTime,
});

export const BusinessesResponse = Type.Object({ businesses: Type.Array(BusinessRecord) }, { title: 'Businesses' });

const BusinessUser = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: Type.String(),
  invited: Type.Boolean({ description: 'Whether the person has not set a password yet.' }),
  totp: Type.Boolean({ description: 'Whether the person has two-step login.' }),
  created_at: IsoTime,
});
export const BusinessUsersResponse = Type.Object({ users: Type.Array(BusinessUser) }, { title: 'BusinessUsers' });

const Problem = Type.Object({
  at: Nullable(IsoTime),
  kind: Type.Union([Type.Literal('connection'), Type.Literal('message'), Type.Literal('webhook')]),
  text: Type.String({ description: 'Never a customer’s words or number.' }),
});
export type Problem = Static<typeof Problem>;

const UNAVAILABLE = 'Null if the service did not respond in time.';

export const BusinessDetailResponse = Type.Object(
  {
    business: BusinessRecord,
    connection: Type.Union([Type.Omit(ConnectionView, ['verify_token']), Type.Null()], { description: UNAVAILABLE }),
    users: Type.Array(BusinessUser),
    api_keys: Type.Array(ApiKeyRecord),
    webhooks: Type.Union([Type.Array(WebhookRecord), Type.Null()], { description: UNAVAILABLE }),
    problems: Type.Array(Problem, { description: 'The last problems, the newest first.' }),
  },
  { title: 'BusinessDetail' },
);
export type BusinessDetail = Static<typeof BusinessDetailResponse>;

export function businessRecord(business: Business): Static<typeof BusinessRecord> {
  const { id, name, plan, suspended, created_at } = business;
  const broadcast_daily_limit = broadcastDailyLimit(business);
  return { id, name, plan, ...zoneFields(business), broadcast_daily_limit, suspended, created_at: created_at.toISOString() };
}
