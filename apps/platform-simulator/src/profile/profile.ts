import { Type, type Static, type TLiteral, type TUnion } from '@sinclair/typebox';
import { STATUS_MODES, testBehaviour, type Behaviour, type StatusMode } from './behaviours';

/** People in 24 hours with whom a business may start a conversation (platform §5). */
export const TIERS = { TIER_250: 250, TIER_2K: 2_000, TIER_10K: 10_000, TIER_100K: 100_000, TIER_UNLIMITED: Infinity } as const;
type Tier = keyof typeof TIERS;

const oneOf = <T extends string>(values: T[]) => Type.Union(values.map((value) => Type.Literal(value))) as TUnion<TLiteral<T>[]>;
const Name = oneOf(['lenient', 'realistic']);
const limits = {
  /** Inbound and outbound messages of one number; null for no limit. */
  messages_per_second: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()]),
  /** One message to a person in 6 s, with bursts of 45. */
  pair_limit: Type.Boolean(),
  /** Calls for templates and numbers of one business account; null for no limit. */
  management_calls_per_hour: Type.Union([Type.Integer({ minimum: 1, maximum: 5_000 }), Type.Null()]),
  tier: oneOf(Object.keys(TIERS) as Tier[]),
};
const statuses = {
  /** The statuses of messages to numbers other than test numbers. */
  status_mode: oneOf(Object.keys(STATUS_MODES) as StatusMode[]),
  /** How often each of their callbacks is posted. */
  duplicate: Type.Integer({ minimum: 1, maximum: 20 }),
  /** How long statuses are collected into one callback; 0 posts them one by one. */
  batch_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
};

export const Settings = Type.Object({ profile: Name, ...limits, ...statuses });
export type Settings = Static<typeof Settings>;
export const SettingsChange = Type.Partial(Settings, { additionalProperties: false });

type Limits = Pick<Settings, keyof typeof limits>;
const PROFILES: Record<Settings['profile'], Limits> = {
  lenient: { messages_per_second: null, pair_limit: false, management_calls_per_hour: null, tier: 'TIER_UNLIMITED' },
  realistic: { messages_per_second: 80, pair_limit: true, management_calls_per_hour: 200, tier: 'TIER_2K' },
};
const START: Settings = { profile: 'lenient', ...PROFILES.lenient, status_mode: 'usual', duplicate: 1, batch_ms: 0 };

/** How strict the platform is, and how it posts statuses (platform §8.2, §8.4). */
export class Profile {
  settings: Settings = START;

  /** A named profile sets its limits; explicit settings override them. */
  change(change: Static<typeof SettingsChange>): Settings {
    this.settings = { ...this.settings, ...(change.profile && PROFILES[change.profile]), ...change };
    return this.settings;
  }

  reset(): void {
    this.settings = START;
  }

  /** The behaviour of a recipient; test numbers have their own. */
  behaviourOf(recipient: string): Behaviour {
    const { status_mode, duplicate } = this.settings;
    return testBehaviour(recipient) ?? { ...STATUS_MODES[status_mode], ...(duplicate > 1 && { repeat: duplicate }) };
  }
}
