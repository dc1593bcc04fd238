import { Type, type Static } from '@sinclair/typebox';
import { AccountsState } from '../accounts/accounts';
import { CallbackQueueState } from '../callbacks/callback-queue';
import { StatusEngineState } from '../statuses/status-engine';
import { ClockState } from '../clock';
import { SentMessagesState } from '../records/sent-messages';
import { LimitsState } from '../limits/limits';
import { Settings } from '../profile/profile';
import { MediaStoreState } from '../media/media-store';
import { ConversationsState } from '../people/conversations';
import { IdentitiesState } from '../people/identities';
import { RefusedNumbersState } from '../faults/refused-numbers';
import { OneTimeCode } from '../records/one-time-codes';
import { PhonesState } from '../records/phones';
import { LoggedRequest } from '../records/request-log';
import { RulesState } from '../faults/rules';
import { type SimulatorParts } from '../simulator-parts';

/** The whole state of the simulator, with the accounts' secrets (platform §8.4, decision 235). */
export const Snapshot = Type.Object({
  version: Type.Literal(1),
  /** The state of the random numbers. */
  random: Type.Integer(),
  clock: ClockState,
  profile: Settings,
  limits: LimitsState,
  accounts: AccountsState,
  /** Absent in files of earlier versions. */
  identities: Type.Optional(IdentitiesState),
  conversations: ConversationsState,
  phones: PhonesState,
  sent: SentMessagesState,
  rules: RulesState,
  refused: RefusedNumbersState,
  codes: Type.Array(OneTimeCode),
  media: MediaStoreState,
  /** Pending statuses. */
  statuses: StatusEngineState,
  callbacks: CallbackQueueState,
  requests: Type.Array(LoggedRequest),
});

/** The parts that a snapshot and the kept state have in full. */
function smallState(parts: SimulatorParts) {
  return {
    version: 1 as const,
    random: parts.seeded.state,
    clock: parts.clock.state(),
    profile: parts.profile.settings,
    accounts: parts.accounts.state(),
    identities: parts.identities.state(),
    rules: parts.rules.state(),
    refused: parts.refused.state(),
    codes: parts.codes.all(),
  };
}

export function takeSnapshot(parts: SimulatorParts): Static<typeof Snapshot> {
  parts.batches.flush();
  return {
    ...smallState(parts),
    limits: parts.limits.state(),
    conversations: parts.conversations.state(),
    phones: parts.phones.state(),
    sent: parts.sent.state(),
    media: parts.media.state(),
    statuses: parts.engine.state(),
    callbacks: parts.callbacks.state(),
    requests: parts.requests.state(),
  };
}

/** Bounds of the kept state, which must fit into the heap of 256 MB several times. */
const KEPT = {
  mediaBytes: 16 * 1024 * 1024,
  callbackBytes: 4 * 1024 * 1024,
  phoneCharacters: 8 * 1024 * 1024,
  statuses: 10_000,
  people: 50_000,
};

/** The state that survives a restart (decision 745): all but logs and counts of limits, with the newest files, phones and people. */
export function takeKeptState(parts: SimulatorParts): Static<typeof Snapshot> {
  return {
    ...smallState(parts),
    limits: { messages: {}, calls: {}, pairs: {}, people: {} },
    conversations: parts.conversations.state().slice(-KEPT.people),
    phones: newest(parts.phones.state(), KEPT.phoneCharacters),
    sent: {},
    media: parts.media.state(KEPT.mediaBytes),
    statuses: parts.engine.state().slice(0, KEPT.statuses),
    callbacks: parts.callbacks.state({ heldBytes: KEPT.callbackBytes, withLog: false }),
    requests: [],
  };
}

/** @returns the last items whose JSON has at most `most` characters */
function newest<T>(items: T[], most: number): T[] {
  let first = items.length;
  for (let left = most; first > 0; first--) {
    left -= JSON.stringify(items[first - 1]).length;
    if (left < 0) break;
  }
  return items.slice(first);
}

/** Replaces the whole state, including callbacks that were not delivered. */
export function restoreSnapshot(parts: SimulatorParts, snapshot: Static<typeof Snapshot>): void {
  resetSimulator(parts);
  parts.seeded.state = snapshot.random;
  parts.clock.restore(snapshot.clock);
  parts.profile.settings = snapshot.profile;
  parts.limits.restore(snapshot.limits);
  parts.accounts.restore(snapshot.accounts);
  parts.identities.restore(snapshot.identities ?? {});
  parts.conversations.restore(snapshot.conversations);
  parts.phones.restore(snapshot.phones);
  parts.sent.restore(snapshot.sent);
  parts.rules.restore(snapshot.rules);
  parts.refused.restore(snapshot.refused);
  parts.codes.restore(snapshot.codes);
  parts.media.restore(snapshot.media);
  parts.requests.restore(snapshot.requests);
  parts.engine.restore(snapshot.statuses);
  parts.callbacks.restore(snapshot.callbacks);
}

/** Drops everything but accounts and templates, and lets all accounts send again. */
export function resetSimulator(parts: SimulatorParts): void {
  parts.load.stop();
  parts.batches.flush();
  for (const part of [
    parts.engine,
    parts.callbacks,
    parts.limits,
    parts.identities,
    parts.conversations,
    parts.phones,
    parts.sent,
    parts.rules,
    parts.refused,
    parts.codes,
    parts.media,
    parts.requests,
  ])
    part.clear();
  parts.clock.set(0, false);
  parts.profile.reset();
  for (const account of parts.accounts.all()) Object.assign(account, { status: 'CONNECTED', restricted: false, subscribed: true });
}
