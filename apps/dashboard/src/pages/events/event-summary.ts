import type { TailedEvent } from '../../api/use-event-tail';
import { phoneShown } from '../../components/phone-shown';

/** Members that name the person or the thing of an event, the first one counts. */
const PARTIES = ['from', 'to', 'customer_phone', 'phone', 'template_name', 'name'];
const PHONES = ['from', 'to', 'customer_phone', 'phone'];
/** Members that describe an event best; the first one that it has counts. */
const TEXTS = ['status', 'state', 'text', 'ai_response', 'first_message', 'reason', 'source'];

const firstOf = (data: TailedEvent['data'], names: string[]) =>
  names.flatMap((name) => (typeof data[name] === 'string' && data[name] !== '' ? [{ name, value: data[name] }] : []))[0];

/** The person, template or webhook of an event; `""` without one. */
export function eventParty({ data }: TailedEvent): string {
  const party = firstOf(data, PARTIES);
  if (!party) return '';
  return PHONES.includes(party.name) ? phoneShown(party.value) : party.value;
}

/** Whether an event is about a number with these digits. A text without digits is compared as it is. */
export function isAboutPhone({ data }: TailedEvent, phone: string): boolean {
  const part = phone.replace(/\D/g, '') || phone;
  return PHONES.some((name) => typeof data[name] === 'string' && data[name].includes(part));
}

/** A line about an event: its text, or its new state. */
export function eventText({ event, data }: TailedEvent): string {
  if (event === 'broadcast.completed') return `${String(data['sent'])} sent, ${String(data['failed'])} failed`;
  return firstOf(data, TEXTS)?.value ?? (typeof data['type'] === 'string' ? `[${data['type']}]` : '');
}
