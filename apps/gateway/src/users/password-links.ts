import { Type } from '@sinclair/typebox';
import { Id, IsoTime } from '@mgw/contracts';
import type { PasswordLink } from './password-links.store';

const ONCE = 'Shown this once; it works once.';

export const AddedPerson = Type.Object(
  {
    id: Id,
    message: Type.String(),
    invite_url: Type.Optional(Type.String({ description: `Only without \`password\`: the person sets one here. ${ONCE}` })),
    expires_at: Type.Optional(IsoTime),
  },
  { title: 'AddedPerson' },
);

export const ResetLink = Type.Object(
  { reset_url: Type.String({ description: ONCE }), expires_at: IsoTime, message: Type.String() },
  { title: 'ResetLink' },
);

/** @param link null if the person was added with a password */
export function addedPerson({ id, link }: { id: number; link: PasswordLink | null }, publicUrl: string) {
  if (link === null) return { id, message: 'Added. They can log in now.' };
  const message = 'Invited. Send the person this link: it is not shown again, and it expires in 24 hours.';
  return { id, invite_url: urlOf(link, publicUrl), expires_at: link.expires_at.toISOString(), message };
}

export function resetLink(link: PasswordLink, publicUrl: string) {
  const message = 'Send the person this link: it is not shown again, and it expires in 24 hours.';
  return { reset_url: urlOf(link, publicUrl), expires_at: link.expires_at.toISOString(), message };
}

/** Browsers do not send the fragment, so no log has the token. */
function urlOf({ token }: PasswordLink, publicUrl: string): string {
  return new URL(`/password#token=${token}`, publicUrl).toString();
}
