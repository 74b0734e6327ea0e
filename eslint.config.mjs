import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import prose from './test/prose/code-rules.js';

const message =
  'Connections are made in shared/database/connect.ts only, so that isolation, time zone and limits are the same everywhere.';
const noSequelize = ['error', { selector: 'NewExpression[callee.name="Sequelize"]', message }];
const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Named exports only: a name is the same wherever it is used.',
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'data/',
      'clients/typescript/dist/',
      'clients/typescript/docs/',
      'clients/typescript/src/generated/',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { prose },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', 250],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 15],
      'max-depth': ['error', 4],
      'max-params': ['error', 6],
      // A service declares its commands as members of those of the program.
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends' },
      ],
      eqeqeq: 'error',
      'prose/texts': 'error',
      'prose/comments': 'error',
      'no-console': 'error',
      'no-restricted-syntax': [...noSequelize, noDefaultExport],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // A number in a template is meant; everything else that is not a string is a bug.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // NestJS modules are classes with a decorator and nothing in them.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
    },
  },
  // Data and code within a string.
  {
    files: ['shared/identity/{common-passwords,confusables}.ts', 'workers/watchdog.ts'],
    rules: { 'prose/texts': 'off' },
  },
  {
    files: ['shared/database/connect.ts'],
    rules: { 'no-restricted-syntax': ['error', noDefaultExport] },
  },
  {
    files: ['test/**'],
    rules: {
      // What tests say is read by us alone.
      'prose/texts': 'off',
      // A describe block is one function, and a body that came over HTTP is `any` until a test has
      // looked at it.
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  // Longer than the rest may be, until they are split.
  {
    files: ['test/**'],
    rules: { 'max-lines': ['error', { max: 530, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: [
      'api/app.ts',
      'api/commands/routes.ts',
      'shared/cache/redis.ts',
      'shared/database/sqlite-driver.ts',
    ],
    rules: {
      'max-lines-per-function': ['error', { max: 95, skipBlankLines: true, skipComments: true }],
    },
  },
  // Jest takes a global setup from the default export.
  { files: ['test/support/run/setup/*.ts'], rules: { 'no-restricted-syntax': noSequelize } },
  // The benchmark's rival is a program of its own and connects as such a program would.
  {
    files: ['test/bench/**'],
    rules: { 'no-restricted-syntax': ['error', noDefaultExport], 'no-console': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      parserOptions: { projectService: false },
      globals: {
        module: 'writable',
        require: 'readonly',
        process: 'readonly',
        __dirname: 'readonly',
      },
    },
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      '@typescript-eslint/no-require-imports': 'off',
      'no-restricted-syntax': 'off',
    },
  },
  {
    files: ['api/web/docs/**'],
    languageOptions: { sourceType: 'script', globals: { document: 'readonly', fetch: 'readonly' } },
  },
  { files: ['clients/typescript/*.mjs'], languageOptions: { globals: { fetch: 'readonly' } } },
  {
    files: ['deploy/health-check.mjs'],
    languageOptions: { globals: { fetch: 'readonly', AbortSignal: 'readonly' } },
  },
  {
    files: ['examples/**'],
    languageOptions: {
      globals: Object.fromEntries(
        ['fetch', 'console', 'crypto', 'performance'].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'no-console': 'off' },
  },
);
