// Rules that need types. They run once over everything, because each run loads the types of the whole repository.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/schema.d.ts', 'dist/**', 'node_modules/**', '.local/**', '.nx/**', 'coverage/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: ['tsconfig.json', 'apps/dashboard/tsconfig.json'], tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
);
