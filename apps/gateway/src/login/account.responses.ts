import { Type } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from '@mgw/contracts';

export const SessionsResponse = Type.Object(
  {
    sessions: Type.Array(
      Type.Object({
        id: Id,
        created_at: IsoTime,
        last_used_at: IsoTime,
        ip: Nullable(Type.String({ description: 'The address at login.' })),
        user_agent: Nullable(Type.String({ description: 'The browser at login, at most 300 characters.' })),
        current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
      }),
    ),
  },
  { title: 'Sessions' },
);
