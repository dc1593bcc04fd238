/** Anything but spaces, control and format characters, and letters that are drawn as nothing. */
const VISIBLE = /[^\s\p{C}\p{DI}\u2800]/u;

/** A customer's name; an empty text if nobody can see it, because WhatsApp accepts such names. */
export const visibleName = (name: string): string => (VISIBLE.test(name) ? name : '');
