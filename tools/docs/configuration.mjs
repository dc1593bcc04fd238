// docs/configuration.md from the configuration classes of the build: node configuration.mjs [--write | --json]
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { format, resolveConfig } from 'prettier';

process.chdir(new URL('../..', import.meta.url).pathname);
const require = createRequire(import.meta.url);
const FILE = 'docs/configuration.md';

/** Every app's settings, as its class declares them. */
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

Every service is configured by environment variables. It reads and checks all of them at its start, and tells everything that is wrong at once. Secrets are never
logged. \`LOG_LEVEL\` (\`info\`) is read by all. This page is made from the code: \`npm run docs\`.

${sections.join('\n\n')}
`;
  return format(text, { ...(await resolveConfig(FILE)), parser: 'markdown' });
}

if (process.argv.includes('--json')) console.log(JSON.stringify(settings()));
else if (process.argv.includes('--write')) writeFileSync(FILE, await page());
else if ((await page()) !== readFileSync(FILE, 'utf8')) {
  console.error(`${FILE} is not what the code says: npm run docs`);
  process.exit(1);
}
