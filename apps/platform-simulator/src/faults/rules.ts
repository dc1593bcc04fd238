import { Type, type Static, type TObject } from '@sinclair/typebox';
import type { Identities } from '../people/identities';

const optional = Type.Optional;

const fault = {
  /** Delay before everything else, in milliseconds. */
  delay_ms: optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
  /** An error of the platform; `status` is the HTTP status. */
  error: optional(
    Type.Object({
      code: Type.Integer(),
      message: optional(Type.String()),
      status: optional(Type.Integer({ minimum: 400, maximum: 599 })),
      subcode: optional(Type.Integer()),
      details: optional(Type.String()),
      is_transient: optional(Type.Boolean()),
      headers: optional(Type.Record(Type.String(), Type.String())),
    }),
  ),
  /** A response unlike the platform's: another status or body (text is sent as HTML), or a cut connection. */
  answer: optional(
    Type.Object({
      status: optional(Type.Integer({ minimum: 100, maximum: 599 })),
      body: optional(Type.Unknown()),
      cut: optional(Type.Boolean()),
    }),
  ),
  /** Accepts the message, then cuts the connection, so that the outcome is unknown to the caller. */
  cut_after_accept: optional(Type.Boolean()),
  /** Closes the port for this time after the response, in milliseconds. */
  refuse_connections_ms: optional(Type.Integer({ minimum: 1, maximum: 60_000 })),
};
/** Replaces the normal handling of a message. */
export type Fault = Static<TObject<typeof fault>>;

/** All present members must be equal; `to` is a phone number or a business-scoped user id. */
const Match = Type.Object(
  { to: optional(Type.String()), type: optional(Type.String()), template: optional(Type.String()) },
  { additionalProperties: false },
);

export const RuleRequest = Type.Object(
  {
    match: optional(Match),
    /** How often it applies; without limit by default. */
    times: optional(Type.Integer({ minimum: 1 })),
    /** Applies to every n-th matching message: 3 means the third, the sixth, … */
    every: optional(Type.Integer({ minimum: 1 })),
    ...fault,
  },
  { additionalProperties: false },
);

/** A fault for the messages that match. */
const Rule = Type.Object({
  id: Type.Integer(),
  match: Match,
  /** How often it still applies; null without limit. */
  times: Type.Union([Type.Integer(), Type.Null()]),
  every: Type.Integer(),
  /** Messages that matched so far. */
  seen: Type.Integer(),
  ...fault,
});
export type Rule = Static<typeof Rule>;
export const RulesState = Type.Object({ rules: Type.Array(Rule), made: Type.Integer() });

const MAX = 1_000;

export class Rules {
  private rules: Rule[] = [];
  private made = 0;

  constructor(private readonly identities: Identities) {}

  /** @returns the id; null if there are too many */
  add({ match = {}, times, every = 1, ...fault }: Static<typeof RuleRequest>): number | null {
    if (this.rules.length >= MAX) return null;
    this.made += 1;
    this.rules.push({ id: this.made, match, times: times ?? null, every, seen: 0, ...fault });
    return this.made;
  }

  all(): Rule[] {
    return this.rules;
  }

  clear(): void {
    this.rules = [];
  }

  /** Uses the first rule that applies. */
  match(message: { to: string; type: string; template: string | undefined }): Fault | undefined {
    return this.rules.find((rule) => {
      const isTo = rule.match.to === undefined || this.identities.personOf(rule.match.to) === this.identities.personOf(message.to);
      if (
        rule.times === 0 ||
        !isTo ||
        !(['type', 'template'] as const).every((part) => [undefined, message[part]].includes(rule.match[part]))
      )
        return false;
      rule.seen += 1;
      if (rule.seen % rule.every !== 0) return false;
      if (rule.times !== null) rule.times -= 1;
      return true;
    });
  }

  state(): Static<typeof RulesState> {
    return { rules: this.rules, made: this.made };
  }

  restore({ rules, made }: Static<typeof RulesState>): void {
    this.rules = rules;
    this.made = made;
  }
}
