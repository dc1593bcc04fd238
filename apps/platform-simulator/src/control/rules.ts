import type { FailureOptions } from '../graph/graph-error';

/** What the simulator does instead of just accepting a message. */
export interface Fault {
  /** Before anything else, in milliseconds. */
  delay_ms?: number;
  /** An error of the platform; `status` is the HTTP one. */
  error?: { code: number; message?: string } & FailureOptions;
  /** An answer that is no answer of the platform: another status or body (text is sent as HTML), or a cut connection. */
  answer?: { status?: number; body?: unknown; cut?: boolean };
  /** The message is accepted, then the connection is cut: the caller cannot know. */
  cut_after_accept?: boolean;
  /** After this answer nothing can be connected to for so long, in milliseconds. */
  refuse_connections_ms?: number;
}

/** A fault for the messages that match. */
export interface Rule extends Fault {
  id: number;
  /** Every member that is given must be equal. */
  match: { to?: string; type?: string; template?: string };
  /** How often it still applies; null: always. */
  times: number | null;
}

const MAX = 1_000;

export class Rules {
  private rules: Rule[] = [];
  private made = 0;

  /** @returns the id; null when there are too many */
  add(rule: Omit<Rule, 'id'>): number | null {
    if (this.rules.length >= MAX) return null;
    this.made += 1;
    this.rules.push({ ...rule, id: this.made });
    return this.made;
  }

  all(): Rule[] {
    return this.rules;
  }

  clear(): void {
    this.rules = [];
  }

  /** The first rule that matches; counts as used. */
  take(message: { to: string; type: string; template: string | undefined }): Rule | undefined {
    const rule = this.rules.find(
      ({ match, times }) =>
        times !== 0 &&
        (match.to === undefined || match.to === message.to) &&
        (match.type === undefined || match.type === message.type) &&
        (match.template === undefined || match.template === message.template),
    );
    if (rule && rule.times !== null) rule.times -= 1;
    return rule;
  }
}
