const { differing, embeddedAlone, sampled } = require('./test/support/run/setup/differing.js');
const { memoryFolder } = require('./test/support/run/setup/memory.js');

// Whoever sets TMPDIR decides.
const folder = process.env.TMPDIR ?? memoryFolder();
if (folder) process.env.TMPDIR = folder;

/**
 * Nine projects. `unit` and `simulation` run nothing but code. `embedded` runs the tests of the
 * contract and of the pages on the embedded default. `servers` runs those on servers that can
 * differ there, and `rules-on-servers` the others. `integration` and `faults` need real servers,
 * too, which test/support finds or starts. `samples` runs those of `unit` and of `integration`
 * again that try few samples there. `tools` runs what others have made to check a document.
 */
const support = '<rootDir>/test/support/run';

// Node's option for the programs that tests start.
process.env.TEST_PROGRAM_OPTION = `--require=${__dirname}/test/support/service/quick-hash-hook.js`;

const common = {
  rootDir: __dirname,
  testEnvironment: `${support}/setup/environment.js`,
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: [`${support}/setup/after-file.ts`],
  // swc, because it emits the decorator metadata that NestJS and sequelize-typescript need; tsc
  // checks the types before.
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: true,
          },
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // jose is published as an ES module only, which Jest cannot load on every version of Node that we
  // support.
  transformIgnorePatterns: ['/node_modules/(?!(jose)/)'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

const project = (displayName, folder, more = {}) => ({
  ...common,
  displayName,
  testMatch: [`<rootDir>/test/${folder}/**/*.test.ts`],
  ...more,
});
const running = (setup) => ({
  globalSetup: `${support}/setup/${setup}.ts`,
  globalTeardown: `${support}/setup/global-teardown.ts`,
});

// Each exchange of the contract tests is held against the OpenAPI document.
const contract = {
  testEnvironment: `${support}/setup/contract-environment.js`,
  setupFilesAfterEnv: [...common.setupFilesAfterEnv, `${support}/setup/document.ts`],
};

const onServers = {
  ...contract,
  ...running('servers'),
  globals: { contractTarget: 'servers' },
};

const inContract = sampled('contract');

module.exports = {
  projects: [
    project('unit', 'unit'),
    project('simulation', 'simulation'),
    project('integration', 'integration', running('global-setup')),
    project('embedded', '{contract,pages}', {
      ...contract,
      ...running('embedded'),
      globals: { contractTarget: 'embedded' },
    }),
    project('servers', '{contract,pages}', {
      ...onServers,
      testMatch: differing.map((file) => `<rootDir>/test/${file}`),
    }),
    project('rules-on-servers', '{contract,pages}', {
      ...onServers,
      testMatch: [
        '<rootDir>/test/{contract,pages}/**/*.test.ts',
        ...[...differing.filter((file) => !inContract.includes(file)), ...embeddedAlone].map(
          (file) => `!**/test/${file}`,
        ),
      ],
    }),
    project('samples', '', {
      ...running('global-setup'),
      testMatch: [...sampled('unit'), ...sampled('integration')].map(
        (file) => `<rootDir>/test/${file}`,
      ),
    }),
    project('tools', 'tools'),
    project('faults', 'faults', running('global-setup')),
  ],
  testTimeout: 120_000,
  // Servers and the system under test share the machine with the tests.
  maxWorkers: 2,
  // A worker that has run a hundred files takes a while to give its memory back, milliseconds.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/test/support/run/sequencer.js',
  reporters: [
    'default',
    '<rootDir>/test/support/run/totals-reporter.js',
    '<rootDir>/test/support/run/times/reporter.js',
  ],
};
