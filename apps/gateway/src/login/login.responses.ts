import { Type, type Static } from '@sinclair/typebox';
import { Id, Nullable, PLANS } from '@mgw/contracts';
import { ZONE_FIELDS } from '../businesses/zones';
import { ROLES } from '../sessions/session-user';

const user = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: Type.Union(ROLES.map((role) => Type.Literal(role))),
});

export const LoggedIn = Type.Object({ message: Type.String(), user }, { title: 'LoggedIn' });

export const LoginOptions = Type.Object(
  { oidc: Type.Boolean({ description: 'Whether `GET /api/client/oidc` leads to the login of an OpenID Connect provider.' }) },
  { title: 'LoginOptions' },
);

/** Spec §10. */
export const Me = Type.Object(
  {
    user,
    business: Nullable(
      Type.Object(
        {
          id: Id,
          name: Type.String(),
          plan: Type.Union(PLANS.map((plan) => Type.Literal(plan))),
          ...ZONE_FIELDS,
          broadcast_daily_limit: Type.Integer({ description: 'Recipients of broadcasts in a day: the operator’s limit, or the plan’s.' }),
          whatsapp_connected: Nullable(Type.Boolean({ description: 'Null if the template service did not respond in time.' })),
        },
        { description: 'Null for operators.' },
      ),
    ),
  },
  { title: 'Me' },
);
export type Me = Static<typeof Me>;
