import { Type } from '@sinclair/typebox';
import { Id, IsoTime, PLANS } from '@mgw/contracts';
import { ZONE_FIELDS } from '../businesses/zones';

export const BusinessesResponse = Type.Object(
  {
    businesses: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        plan: Type.Union(PLANS.map((plan) => Type.Literal(plan))),
        ...ZONE_FIELDS,
        created_at: IsoTime,
      }),
    ),
  },
  { title: 'Businesses' },
);

export const LimitsResponse = Type.Object({ global_per_minute: Type.Integer() }, { title: 'Limits' });
