const { statfsSync } = require('node:fs');
const { freemem } = require('node:os');

/** Servers write and delete thousands of files for their short-lived databases: memory is much faster for them than a disk. */
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 1024 ** 3;
function hasRoom(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.min(bavail * bsize, freemem() / 2) > NEEDED_BYTES;
  } catch {
    return false;
  }
}
if (hasRoom(MEMORY)) process.env['TMPDIR'] ??= MEMORY;

const swc = JSON.parse(require('node:fs').readFileSync(`${__dirname}/.swcrc`, 'utf8'));
delete swc.$schema;
delete swc.jsc.paths;
delete swc.jsc.baseUrl;

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/libs/testing/src/jest-environment.cjs',
  roots: ['<rootDir>'],
  testMatch: ['**/*.spec.ts', '**/*.spec.tsx'],
  transform: {
    '\\.ts$|/(whatsapp-api-js|openid-client|oauth4webapi|jose|csv-parse)/.*\\.js$': ['@swc/jest', { ...swc, swcrc: false }],
    '\\.tsx$': [
      '@swc/jest',
      {
        ...swc,
        jsc: { ...swc.jsc, parser: { syntax: 'typescript', tsx: true }, transform: { react: { runtime: 'automatic' } } },
        swcrc: false,
      },
    ],
  },
  // Published as modules only.
  transformIgnorePatterns: ['/node_modules/(?!(whatsapp-api-js|openid-client|oauth4webapi|jose|csv-parse)/)'],
  moduleNameMapper: {
    '^@mgw/(.*)$': '<rootDir>/libs/$1/src/index.ts',
    '\\.css$': '<rootDir>/libs/testing/src/no-styles.cjs',
    // The development file captures a stack for each element, which takes a seventh of the time of a page's tests.
    '^react/jsx-runtime$': '<rootDir>/node_modules/react/cjs/react-jsx-runtime.production.js',
  },
  // On disk: the default follows TMPDIR.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.local'],
  setupFiles: ['reflect-metadata'],
  globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.ts',
  globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.ts',
  reporters: ['default', '<rootDir>/libs/testing/src/jest-summary-reporter.cjs'],
  testSequencer: '<rootDir>/libs/testing/src/lanes-sequencer.cjs',
  testTimeout: 120_000,
  // Tests that run side by side (side-by-side.ts).
  maxConcurrency: 4,
  // One more than a small machine has cores, because specs of services wait. With two more, slow machines missed deadlines.
  maxWorkers: 3,
};
