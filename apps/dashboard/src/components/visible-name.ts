/** Anything but spaces, control and format characters, and letters that are drawn as nothing. */
const VISIBLE = /[^\s\p{C}\u115f\u1160\u2800\u3164\uffa0]/u;

/** A customer's name; an empty text if nobody can see it, because WhatsApp accepts such names. */
export const visibleName = (name: string): string => (VISIBLE.test(name) ? name : '');
