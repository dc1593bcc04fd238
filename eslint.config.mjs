import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { LAYERS } from './tools/build/nx-projects.mjs';

/** Which layer may know which: an app never imports an app, a library only what lies below it. */
const layers = Object.entries(LAYERS).map(([layer, { knows }]) => ({
  sourceTag: `layer:${layer}`,
  onlyDependOnLibsWithTags: knows.map((known) => `layer:${known}`),
}));

/** A driver is known by the library that wraps it, and by stores. */
const driver = (name, home) => ({ name, message: `${name} belongs in ${home} or in a *.store.ts`, allowTypeImports: false });
const drivers = [
  driver('pg', 'libs/postgres'),
  driver('typeorm', 'libs/postgres and migrations'),
  driver('nats', 'libs/nats, libs/rpc, libs/events'),
  driver('ioredis', 'a *.store.ts'),
];

/** Topics of the gateway (apps/gateway/src), from the lowest floor to the highest. A topic imports only topics of lower floors (decision 276). */
const gatewayFloors = [
  ['audit', 'dashboard', 'errors', 'migrations', 'requests', 'responses'],
  ['businesses', 'docs', 'http', 'limits', 'mail'],
  ['platform', 'sending', 'sessions'],
  ['api-keys', 'auto-reply', 'broadcasts', 'connection', 'events', 'people', 'settings', 'suppressions', 'templates', 'users', 'webhooks'],
  ['access', 'audit-log', 'conversations', 'login', 'media', 'messages', 'operator', 'request-log', 'team'],
  ['api-v1', 'openapi'],
  ['server'],
];
const gatewayFloor = (topics, lower) => ({
  files: topics.map((topic) => `apps/gateway/src/${topic}/**/*.ts`),
  ignores: ['**/*.spec.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^\\.\\./(?!gateway\\.config$|(?:${lower.join('|')})/)`,
            message: 'A topic of the gateway imports only topics of lower floors (gatewayFloors in eslint.config.mjs).',
          },
        ],
      },
    ],
  },
});

export default tseslint.config(
  { ignores: ['**/schema.d.ts', 'dist/**', 'node_modules/**', '.local/**', '.nx/**', 'coverage/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': ['error', { enforceBuildableLibDependency: false, allow: [], depConstraints: layers }],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: drivers }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
    },
  },
  {
    files: [
      'libs/postgres/**',
      'libs/nats/**',
      'libs/rpc/**',
      'libs/events/**',
      'libs/testing/**',
      'libs/harness/**',
      '**/*.store.ts',
      '**/migrations/**',
      '**/*.spec.ts',
      'e2e/**',
    ],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  // A topic that no floor names imports nothing.
  gatewayFloor(['*'], []),
  ...gatewayFloors.map((topics, floor) => gatewayFloor(topics, gatewayFloors.slice(0, floor).flat())),
  // Runs all services in one process (decision 501).
  { files: ['apps/standalone/**'], rules: { '@nx/enforce-module-boundaries': 'off' } },
  { files: ['apps/dashboard/**'], languageOptions: { globals: globals.browser } },
  {
    files: ['apps/dashboard/**/*.tsx'],
    ignores: ['apps/dashboard/src/components/{modal,drawer,file-field}.tsx', '**/*.spec.tsx'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@mantine/core',
          importNames: ['Modal', 'Drawer'],
          message: 'Use those of src/components: Escape closes only the top one (decision 779).',
        },
        {
          name: '@mantine/core',
          importNames: ['FileInput'],
          message: 'Use FileField: a label by itself hides the chosen file from screen readers.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: { globals: globals.node },
    rules: { 'no-console': 'off', '@typescript-eslint/no-require-imports': 'off' },
  },
);
