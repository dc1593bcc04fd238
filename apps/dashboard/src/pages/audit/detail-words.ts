import { counted } from '../../components/format-number';

/** Details that mean nothing to a person: a hash of the address, and the key that the entry names as its author. */
const HIDDEN = ['account', 'api_key_id'];
/** Details that are worth a line only when they are true. */
const EVENTS: Record<string, string> = {
  locked: 'Further logins are refused for a while',
  api_key_removed: 'The API key of the model was removed',
  oidc: 'With the organization’s login',
};
const NAMES: Record<string, string> = {
  assigned_to: 'assigned to',
  heir: 'replaced by API key',
  grace_minutes: 'ends after',
  second_step: 'two-step login',
};

/**
 * A detail of an entry in words.
 * @param personNamed the name of a person of the team
 * @returns null for one that is not worth a line
 */
export function detailWords(
  field: string,
  value: unknown,
  personNamed: (id: string) => string | undefined,
): { name: string; text: string } | null {
  if (HIDDEN.includes(field)) return null;
  const event = EVENTS[field];
  if (event !== undefined) return value === true ? { name: '', text: event } : null;
  const name = NAMES[field] ?? field.replaceAll('_', ' ');
  if (field === 'assigned_to') return { name, text: value === null ? 'nobody' : (personNamed(String(value)) ?? `person ${String(value)}`) };
  if (field === 'grace_minutes') return { name, text: counted(Number(value), 'minute') };
  // The log keeps the number of a conversation's labels only, because labels may describe a person.
  if (field === 'labels' && typeof value === 'number') return { name: 'now has', text: counted(value, 'label') };
  return { name, text: valueWords(value) };
}

function valueWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
