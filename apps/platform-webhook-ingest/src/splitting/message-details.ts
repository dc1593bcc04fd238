import { sha256Hex, type InboundDetails } from '@mgw/contracts';
import type { CallbackMessage } from '@mgw/platform-api';
import { isObject, membersOf } from './changes';
import { toStorable } from './read-callback';

/** Bytes of all details of a message, as JSON. */
const MAX_BYTES = 32_000;
/** Levels of arrays and objects in contacts, orders and flow responses; WhatsApp's have about five. */
const MAX_LEVELS = 16;
/** WhatsApp sends one error per message. */
const MAX_ERRORS = 10;
const REFERRAL_MEMBERS = ['source_id', 'source_type', 'source_url', 'headline', 'body', 'ctwa_clid'] as const;

type Members = Record<string, unknown>;
type Part = { [K in keyof InboundDetails]?: InboundDetails[K] | undefined };
/** A part of the details, or none. */
type Addition = Part | 'too-deep' | undefined;

/**
 * The details of a message (platform §4.4). A member of the wrong type counts as absent.
 * @param file the object of a media message
 * @returns undefined if there are none; `details_truncated` if some exceed the limits
 */
export function messageDetails(message: CallbackMessage, file: Members | undefined, username: unknown): InboundDetails | undefined {
  const interactive = interactiveOf(message);
  // The parts that may be large come last, so that they do not displace the others.
  return withinLimit([
    { context: contextOf(message) },
    { button: buttonOf(message) },
    { interactive },
    { location: locationOf(message) },
    { reaction: reactionOf(message) },
    file && fileOf(file),
    { from_username: textOf(username) },
    { errors: errorsOf(message) },
    { referral: referralOf(message) },
    interactive && responseOf(message, interactive),
    contactsOf(message),
    orderOf(message),
  ]);
}

/** Adds parts as long as they fit. */
function withinLimit(additions: Addition[]): InboundDetails | undefined {
  let details: InboundDetails = {};
  let truncated = false;
  for (const addition of additions) {
    if (addition === undefined || Object.values(addition).every((value) => value === undefined)) continue;
    const next = addition === 'too-deep' ? undefined : { ...details, ...defined(addition) };
    if (next && Buffer.byteLength(JSON.stringify(next)) <= MAX_BYTES) details = next;
    else truncated = true;
  }
  if (truncated) details.details_truncated = true;
  return Object.keys(details).length > 0 ? details : undefined;
}

function contextOf({ context }: CallbackMessage): InboundDetails['context'] {
  if (!isObject(context)) return undefined;
  const message_id = textOf(context.id);
  const forwarded = context.forwarded === true || context.frequently_forwarded === true;
  return message_id !== undefined || forwarded
    ? { ...(message_id !== undefined && { message_id }), ...(forwarded && { forwarded }) }
    : undefined;
}

function buttonOf({ button }: CallbackMessage): InboundDetails['button'] {
  const payload = textOf(membersOf(button)['payload']);
  return payload === undefined ? undefined : { payload };
}

function interactiveOf({ interactive }: CallbackMessage): InboundDetails['interactive'] {
  const replies = membersOf(interactive);
  for (const type of ['button_reply', 'list_reply'] as const) {
    const reply = replies[type];
    if (!isObject(reply)) continue;
    const { id, title, description } = reply;
    return { type, title: textOf(title) ?? '', ...defined({ id: textOf(id), description: textOf(description) }) };
  }
  const flow = replies['nfm_reply'];
  return isObject(flow) ? { type: 'nfm_reply', title: textOf(flow['name']) ?? '' } : undefined;
}

/** The response of a flow is JSON within JSON. One that is not an object counts as absent. */
function responseOf({ interactive }: CallbackMessage, known: NonNullable<InboundDetails['interactive']>): Addition {
  const json = membersOf(membersOf(interactive)['nfm_reply'])['response_json'];
  if (known.type !== 'nfm_reply' || typeof json !== 'string') return undefined;
  let response: unknown;
  try {
    response = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isObject(response) || Array.isArray(response)) return undefined;
  return ifShallow(response, (cleaned) => ({ interactive: { ...known, response: cleaned } }));
}

function locationOf({ location }: CallbackMessage): InboundDetails['location'] {
  const { latitude, longitude, name, address } = membersOf(location);
  if (!isDegrees(latitude, 90) || !isDegrees(longitude, 180)) return undefined;
  return { latitude, longitude, ...defined({ name: textOf(name), address: textOf(address) }) };
}

function isDegrees(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= most;
}

/** The platform leaves out the emoji of a removed reaction. */
function reactionOf({ reaction }: CallbackMessage): InboundDetails['reaction'] {
  const { message_id, emoji } = membersOf(reaction);
  return textOf(message_id) === undefined ? undefined : { message_id: message_id as string, emoji: textOf(emoji) ?? null };
}

function fileOf({ filename, voice, animated, sha256 }: Members): Part {
  return { filename: textOf(filename), voice: flagOf(voice), animated: flagOf(animated), sha256: sha256Hex(sha256) };
}

function errorsOf({ errors }: CallbackMessage): InboundDetails['errors'] {
  if (!Array.isArray(errors)) return undefined;
  const known = (errors as unknown[]).slice(0, MAX_ERRORS).flatMap((error) => {
    const { code, title, message } = membersOf(error);
    return Number.isSafeInteger(code) ? [{ code: code as number, title: textOf(title) ?? textOf(message) ?? '' }] : [];
  });
  return known.length > 0 ? known : undefined;
}

function referralOf({ referral }: CallbackMessage): InboundDetails['referral'] {
  const members = membersOf(referral);
  const known = defined(Object.fromEntries(REFERRAL_MEMBERS.map((name) => [name, textOf(members[name])])));
  return Object.keys(known).length > 0 ? known : undefined;
}

function contactsOf({ contacts }: CallbackMessage): Addition {
  const cards = Array.isArray(contacts) ? contacts.filter((card) => isObject(card) && !Array.isArray(card)) : [];
  return cards.length > 0 ? ifShallow(cards as Members[], (contacts) => ({ contacts })) : undefined;
}

function orderOf({ order }: CallbackMessage): Addition {
  return isObject(order) && !Array.isArray(order) ? ifShallow(order, (order) => ({ order })) : undefined;
}

function ifShallow<T>(value: T, details: (value: T) => Part): Addition {
  try {
    return details(toStorable(value, MAX_LEVELS) as T);
  } catch {
    return 'too-deep';
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Without the members that are undefined. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
