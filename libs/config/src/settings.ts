/** One environment variable: its parser, its meaning, and whether its value is a secret. */
export interface Setting<T> {
  readonly name: string;
  readonly doc: string;
  readonly secret: boolean;
  readonly fallback: T | undefined;
  /** Turns the text into the value; throws an Error whose message completes "NAME …". */
  readonly parse: (text: string) => T;
}

interface Options<T> {
  doc: string;
  /** Used when the variable is absent or empty; without it the variable is required. */
  default?: T;
  /** Never printed with the configuration. */
  secret?: boolean;
}

function setting<T>(name: string, options: Options<T>, parse: (text: string) => T): Setting<T> {
  return { name, doc: options.doc, secret: options.secret ?? false, fallback: options.default, parse };
}

function whole(text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < min || value > max) throw new Error(`must be a whole number from ${min} to ${max}`);
  return value;
}

function oneOf(words: readonly string[]) {
  return (text: string) => {
    if (!words.includes(text)) throw new Error(`must be one of ${words.join(', ')}`);
    return text;
  };
}

/** The kinds of environment variables. */
export const env = {
  text: (name: string, options: Options<string>) => setting(name, options, (text) => text),
  /** A value with a parser of its own. @param parse throws an Error whose message completes "NAME …" */
  parsed: <T>(name: string, options: Options<T>, parse: (text: string) => T) => setting(name, options, parse),
  /** One of these words. */
  choice: (name: string, options: Options<string> & { of: readonly string[] }) => setting(name, options, oneOf(options.of)),
  /** Any other word, such as `prod`, would silently omit what protects production. @param doc describes what it changes */
  nodeEnv: (doc: string) => setting('NODE_ENV', { doc, default: 'development' }, oneOf(['production', 'development', 'test', 'benchmark'])),
  /**
   * @param options.schemes without the colon; http and https by default. `host:port` alone would parse as a URL with the scheme `host`
   * @param options.origin refuses a path, for an address that other paths are resolved against
   * @param options.secret permits a user and a password, which the start would print otherwise
   */
  url: (name: string, options: Options<string> & { schemes?: readonly string[]; origin?: boolean }) =>
    setting(name, options, (text) => {
      const { schemes = ['http', 'https'], origin = false, secret = false } = options;
      const url = URL.canParse(text) ? new URL(text) : null;
      // PostgreSQL takes the folder of a Unix socket from ?host=.
      const named = url !== null && (url.hostname !== '' || url.searchParams.has('host'));
      const fits = named && schemes.includes(url.protocol.slice(0, -1)) && !(origin && `${url.pathname}${url.search}${url.hash}` !== '/');
      if (!fits) throw new Error(`must be ${schemes.map((scheme) => `${scheme}://…`).join(' or ')}${origin ? ' without a path' : ''}`);
      // A URL would drop spaces around it, and a database would have one in its name.
      if (/\s/.test(text)) throw new Error('must not contain spaces');
      if (!secret && `${url.username}${url.password}` !== '') throw new Error('must not contain a user or a password');
      return text;
    }),
  integer: (name: string, options: Options<number> & { min?: number; max?: number }) =>
    setting(name, options, (text) => whole(text, options.min ?? 0, options.max ?? Number.MAX_SAFE_INTEGER)),
  /** 0 lets the system choose. */
  port: (name: string, options: Options<number>) => setting(name, options, (text) => whole(text, 0, 65_535)),
  /**
   * Comma-separated; empty entries are dropped. An empty variable is an empty list, unlike an absent one. Without a default the list needs an
   * entry.
   * @param entry parses one entry; throws an Error whose message completes "NAME …"
   */
  list: <T = string>(
    name: string,
    options: { doc: string; default?: string; secret?: boolean },
    entry: (text: string) => T = (text) => text as T,
  ): Setting<T[]> => {
    const parse = (text: string) => {
      const entries = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [entry(part.trim())]));
      if (entries.length === 0 && options.default === undefined) throw new Error('has no entry');
      return entries;
    };
    return {
      name,
      doc: options.doc,
      secret: options.secret ?? false,
      fallback: options.default === undefined ? undefined : parse(options.default),
      parse,
    };
  },
  /** Port numbers, comma-separated. */
  ports: (name: string, options: { doc: string; default?: string }) => env.list(name, options, (text) => whole(text, 1, 65_535)),
};
