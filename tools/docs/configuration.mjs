// docs/configuration.md from the configuration classes of the build: node configuration.mjs [--write | --json]
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { formatted } from './formatted.mjs';

process.chdir(`${import.meta.dirname}/../..`);
const require = createRequire(import.meta.url);
const FILE = 'docs/configuration.md';

/** Settings of every app, from its configuration class. */
function settings() {
  return readdirSync('dist/apps')
    .sort()
    .flatMap((app) => {
      const file = readdirSync(`dist/apps/${app}`, { recursive: true }).find((name) => /^src\/[\w-]+\.config\.js$/.test(String(name)));
      if (!file) return [];
      const [Config] = Object.values(require(`../../dist/apps/${app}/${file}`));
      return [{ app, settings: Config.describe() }];
    });
}

const shown = (value) => (Array.isArray(value) ? value.join(',') : String(value));
const cell = (text) => text.replaceAll('|', '\\|');

async function page() {
  const sections = settings().map(({ app, settings: list }) => {
    const rows = list.map(({ name, doc, required, secret, fallback }) => {
      const value = required ? '**required**' : shown(fallback) === '' ? 'empty' : `\`${shown(fallback)}\``;
      return `| \`${name}\` | ${cell(doc)}${secret ? ' (secret)' : ''} | ${value} |`;
    });
    return `## ${app}\n\n| Variable | What it is | Default |\n| --- | --- | --- |\n${rows.join('\n')}`;
  });
  const text = `# Configuration

Environment variables configure every service. A service reads and checks all of them at its start and reports all faults at once. It never logs
secrets. \`npm run docs\` generates this page from the code.

${sections.join('\n\n')}
`;
  return formatted(FILE, text);
}

if (process.argv.includes('--json')) console.log(JSON.stringify(settings()));
else if (process.argv.includes('--write')) writeFileSync(FILE, await page());
else if ((await page()) !== readFileSync(FILE, 'utf8')) {
  console.error(`${FILE} differs from the code. Run: npm run docs`);
  process.exit(1);
}
