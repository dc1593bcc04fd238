// Views of the witnesses for several checks.

export const groupBy = (list, keyOf) => {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
};
/** Calls that the platform accepted. */
export const accepted = ({ calls }) => calls.filter(({ id }) => id !== null);
export const isSent = ({ subject }) => subject === 'public.message.sent';
export const isStatus = ({ subject }) => subject === 'public.message.status';
