const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

/**
 * The architecture as rules; `npm run lint` fails on a violation. Arrows point from who imports to
 * what is imported: api -> shared <- workers, and nothing between two services.
 */
const SERVICES = readdirSync(join(__dirname, 'workers'))
  .filter((name) => existsSync(join(__dirname, 'workers', name, 'service.ts')))
  .join('|');

/** Everything through which a function could reach the outside world. */
const IO_PACKAGES =
  '^(?:node:)?(?:fs|net|http|https|http2|tls|dns|dgram|child_process|worker_threads|cluster|timers|sqlite)(?:/|$)|node_modules/(?:sequelize|sequelize-typescript|mysql2|amqplib|amqp-connection-manager|@golevelup|redis|@redis|express|@nestjs|umzug|@photostructure|pino)(?:/|$)';
const IO_FOLDERS = '^shared/(?:database|cache|messaging)/|^shared/logger[.]ts$|/tables[.]ts$';

/**
 * A service's folder imports another service's folder; files at a folder's root are registries and
 * may know them all. The table `user` is the exception: rows of every service have foreign keys to
 * it, and views show its names.
 */
const serviceRule = (folder) => ({
  name: `no-service-to-service-in-${folder}`,
  comment: 'Services can be taken out one by one only as long as none imports another.',
  severity: 'error',
  from: { path: `^${folder}/(${SERVICES})/` },
  to: {
    path: `^(?:api|workers|shared)/(?:${SERVICES})/`,
    pathNot: ['^(?:api|workers|shared)/$1/', '^shared/identity/tables[.]ts$'],
  },
});

/** What carries the commands of any service: it is given the services, and knows none. */
const ENGINE =
  '^shared/(?:messaging|database|cache|audit)/|^shared/service[.]ts$|^api/(?:audit|commands|console|database|events|export|http|openapi|pages|reads)/|^api/(?:app|program|service)[.]ts$|^workers/(?:batch|consumer|jobs|ops/(?:dead-letters|doctor|partitions))/|^workers/(?:pipeline|program|worker|worker[.]module)[.]ts$|^embedded[.]ts$';
/** Tables, schemas and statuses of all services, one file each. */
const LISTS =
  '^shared/database/(?:connect[.]ts$|migrations/)|^api/http/responses/problem-kinds[.]ts$';
/** Every command has a sender, so the engine knows accounts. */
const ACCOUNTS = '^shared/identity/|^api/identity/';

module.exports = {
  forbidden: [
    {
      name: 'shared-knows-nobody',
      comment: 'shared/ is the contract between API and workers; it must not depend on either.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(?:api|workers|test)/|^(?:lendline|standalone|embedded)[.]ts$' },
    },
    {
      name: 'api-never-workers',
      comment: 'They run on different machines and meet in queues, tables and cache keys only.',
      severity: 'error',
      from: { path: '^api/' },
      to: { path: '^(?:workers|test)/|^(?:lendline|standalone|embedded)[.]ts$' },
    },
    {
      name: 'workers-never-api',
      comment: 'They run on different machines and meet in queues, tables and cache keys only.',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: '^(?:api|test)/|^(?:lendline|standalone|embedded)[.]ts$' },
    },
    {
      name: 'programs-know-requests-only',
      comment:
        'The rest of the client has its types from the document, which the built programs serve. And it runs where none of them is.',
      severity: 'error',
      from: { path: '^(?:api|workers|shared)/', pathNot: '^api/web/' },
      to: {
        path: '^clients/',
        pathNot: '^clients/typescript/src/(?:errors|requests|transport)[.]ts$',
      },
    },
    {
      name: 'client-knows-nobody',
      severity: 'error',
      from: { path: '^clients/' },
      to: { pathNot: '^clients/' },
    },
    {
      name: 'pages-know-the-document-only',
      comment:
        'The pages run in a browser, and all that they know of the service is the document that it serves. What both pages need is in api/web/shared/.',
      severity: 'error',
      from: { path: '^api/web/(\\w+)/' },
      to: {
        path: '^(?:api|workers|shared|test)/|^(?:lendline|standalone|embedded)[.]ts$',
        pathNot: '^api/web/(?:$1|shared)/',
      },
    },
    {
      name: 'service-never-pages',
      comment: 'The service serves the files that were built of them. Tests try their functions.',
      severity: 'error',
      from: { pathNot: '^(?:api/web|test)/' },
      to: { path: '^api/web/' },
    },
    {
      name: 'standalone-never-test',
      severity: 'error',
      from: { path: '^(?:lendline|standalone|embedded)[.]ts$' },
      to: { path: '^test/' },
    },
    serviceRule('api'),
    serviceRule('workers'),
    serviceRule('shared'),
    {
      name: 'engine-knows-no-service',
      comment:
        'The programs give it the services, so that a test or the simulation can give others.',
      severity: 'error',
      from: { path: ENGINE, pathNot: LISTS },
      to: {
        path: `^(?:api|workers|shared)/(?:(?:${SERVICES})/|services[.]ts$)`,
        pathNot: ACCOUNTS,
      },
    },
    {
      name: 'decide-does-no-io',
      comment:
        'decide(state, command, now) is pure: what it needs is loaded before it runs, and what it wants is returned. Types may come from anywhere.',
      severity: 'error',
      from: { path: `^workers/(?:${SERVICES})/decide[-.]` },
      to: { path: `${IO_PACKAGES}|${IO_FOLDERS}`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'service-starts-no-program',
      comment: 'What starts no other program can be made to run no other command.',
      severity: 'error',
      from: { path: '^(?:api|workers|shared|(?:lendline|standalone|embedded)[.]ts)' },
      to: { path: '^(?:node:)?child_process$' },
    },
    {
      name: 'amqplib-in-its-places',
      comment:
        "Who speaks AMQP: the transport, the API's sender, the workers' consumer and the operator's commands about partitions. Everybody else uses the interface in shared/messaging/transport.ts.",
      severity: 'error',
      from: {
        path: '^(?:api|workers|shared|(?:lendline|standalone|embedded)[.]ts)',
        pathNot: '^shared/messaging/|^api/commands/|^workers/consumer/|^workers/ops/partitions/',
      },
      to: {
        path: 'node_modules/(?:amqplib|amqp-connection-manager)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one file, or lack a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment:
        'Every import leads somewhere. node:sqlite comes with Node 22; on Node 20 a package takes its place at run time.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^node:sqlite$' },
    },
    {
      name: 'no-dev-dependencies-in-production',
      comment: 'The image is installed without them.',
      severity: 'error',
      from: {
        path: '^(?:api|workers|shared)/|^(?:lendline|standalone|embedded)[.]ts$',
        pathNot: '^api/web/',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-packages',
      comment:
        'A package that is there by chance, because another one needs it, may be gone tomorrow.',
      severity: 'error',
      from: { path: '^(?:api|workers|shared|test)/|^(?:lendline|standalone|embedded)[.]ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types alone count as well: an architecture is also what one must read to
    // understand a file.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json', '.d.ts'],
    },
    exclude: { path: '^dist/' },
  },
};
