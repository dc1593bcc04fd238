import { Type, type Static, type TLiteral, type TUnion } from '@sinclair/typebox';
import { STATUS_MODES, testBehaviour, type Behaviour, type StatusMode } from '../people/test-numbers';

/** Unique people in 24 hours to whom a business may write first (platform §5). */
export const TIERS = { TIER_250: 250, TIER_2K: 2_000, TIER_10K: 10_000, TIER_100K: 100_000, TIER_UNLIMITED: Infinity } as const;
export type Tier = keyof typeof TIERS;

const oneOf = <T extends string>(values: T[]) => Type.Union(values.map((value) => Type.Literal(value))) as TUnion<TLiteral<T>[]>;
const Name = oneOf(['lenient', 'realistic']);
const limits = {
  /** Of one number, in and out; null: as many as come. */
  messages_per_second: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Null()]),
  /** One message to a person in 6 s, 45 of them ahead. */
  pair_limit: Type.Boolean(),
  /** Of one business account: templates and lists of numbers; null: as many as come. */
  management_calls_per_hour: Type.Union([Type.Integer({ minimum: 1, maximum: 5_000 }), Type.Null()]),
  tier: oneOf(Object.keys(TIERS) as Tier[]),
};
const telling = {
  /** What becomes of messages to people who are no test number. */
  status_mode: oneOf(Object.keys(STATUS_MODES) as StatusMode[]),
  /** Each of their webhooks comes so often. */
  duplicate: Type.Integer({ minimum: 1, maximum: 20 }),
  /** Statuses are collected for so long and posted together; 0: one by one. */
  batch_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
};

export const Settings = Type.Object({ profile: Name, ...limits, ...telling });
export type Settings = Static<typeof Settings>;
export const SettingsChange = Type.Partial(Settings, { additionalProperties: false });

type Limits = Pick<Settings, keyof typeof limits>;
const PROFILES: Record<Settings['profile'], Limits> = {
  lenient: { messages_per_second: null, pair_limit: false, management_calls_per_hour: null, tier: 'TIER_UNLIMITED' },
  realistic: { messages_per_second: 80, pair_limit: true, management_calls_per_hour: 200, tier: 'TIER_2K' },
};
const START: Settings = { profile: 'lenient', ...PROFILES.lenient, status_mode: 'usual', duplicate: 1, batch_ms: 0 };

/** How strict the platform is, and how it tells of messages (platform §8.2, §8.4). */
export class Profile {
  settings: Settings = START;

  /** A named profile brings its limits; others that are given win. */
  change(change: Static<typeof SettingsChange>): Settings {
    this.settings = { ...this.settings, ...(change.profile && PROFILES[change.profile]), ...change };
    return this.settings;
  }

  reset(): void {
    this.settings = START;
  }

  /** What becomes of a message: test numbers keep to their own. */
  behaviourOf(recipient: string): Behaviour {
    const { status_mode, duplicate } = this.settings;
    return testBehaviour(recipient) ?? { ...STATUS_MODES[status_mode], ...(duplicate > 1 && { repeat: duplicate }) };
  }
}
