import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sources of the service without specs: SQL files, and SQL in stores. */
const sources = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|sql)$/.test(name) && !/\.(spec|fixture)\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(__dirname, name), 'utf8') }));

describe('a rule of the product is defined once, in SQL', () => {
  it.each([
    ['spec §3.2: the end of the window', 'window/window-open.sql', /last_inbound_at\s*\+|lastInboundAt[^;\n]*\+/],
    ['decision 18: the strictness of suppressions', 'suppression/suppression-rules.sql', /'blocked',\s*'opted_out'/],
    ['spec §8: the day of the daily cap', 'intents/daily-cap.sql', /AT TIME ZONE [\w.]+\)::date/],
    ['spec §8: the rest of the daily cap', 'intents/daily-cap.sql', /cap - (\w+\.)?used/],
  ])('%s', (_, file, rule) => {
    expect(sources.filter(({ text }) => rule.test(text)).map(({ name }) => name)).toEqual([file]);
  });
});
