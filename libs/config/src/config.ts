import type { Setting } from './settings';

export type Environment = Readonly<Record<string, string | undefined>>;
type Settings = Record<string, Setting<unknown>>;
type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

interface SettingDoc {
  name: string;
  doc: string;
  required: boolean;
  secret: boolean;
  fallback: unknown;
}

/** Lists everything that is wrong with the environment. */
export class ConfigError extends Error {
  constructor(
    readonly app: string,
    readonly faults: readonly string[],
  ) {
    super(`${app} cannot start; its configuration has errors:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * The base of an app's configuration class. The class is the type, the parser, the documentation and the injection token:
 * `class SendConfig extends config('send', { databaseUrl: env.url('DATABASE_URL', { doc: '…' }) }) {}`, then `SendConfig.load(process.env)`.
 * @param check returns faults of settings that depend on each other; a setting that is itself at fault is absent
 */
export function config<S extends Settings>(app: string, settings: S, check: (values: Partial<Values<S>>) => string[] = () => []) {
  class Config {
    static readonly app = app;

    /** Reads and checks every setting. @throws ConfigError listing all faults. */
    static load<C>(this: new () => C, environment: Environment): C {
      const faults: string[] = [];
      const values = readAll(settings, environment, faults);
      faults.push(...check(values as Partial<Values<S>>));
      const loaded = Object.assign(new this() as object, values);
      if (faults.length > 0) throw new ConfigError(app, faults);
      return loaded as C;
    }

    static describe(): SettingDoc[] {
      return Object.values(settings).map(({ name, doc, secret, fallback }) => ({
        name,
        doc,
        secret,
        fallback,
        required: fallback === undefined,
      }));
    }

    /** The configuration for logs; secrets appear only as set or not set. */
    printable(): Record<string, unknown> {
      const own = this as unknown as Record<string, unknown>;
      return Object.fromEntries(
        Object.entries(settings).map(([key, { secret }]) => [key, secret ? (own[key] ? '(set)' : '(not set)') : own[key]]),
      );
    }
  }
  return Config as Omit<typeof Config, 'prototype'> & (new () => Config & Values<S>);
}

function readAll(settings: Settings, environment: Environment, faults: string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, { name, doc, fallback, parse }] of Object.entries(settings)) {
    const text = environment[name];
    if (text === undefined || (text === '' && !Array.isArray(fallback))) {
      if (fallback === undefined) faults.push(`${name} is missing: ${doc}`);
      values[key] = fallback;
      continue;
    }
    try {
      values[key] = parse(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}: ${doc}`);
    }
  }
  return values;
}
