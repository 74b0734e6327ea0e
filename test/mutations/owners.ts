import type { Mutation } from './mutation';

const OWNERLESS = {
  tests: 'test/integration/workers/consumer/ownerless.test.ts',
  only: "without an owner's row",
} as const;

/** Partitions that have no owner's row, and services that an installation did not have before. */
export const ownerMutations: readonly Mutation[] = [
  {
    guard: "a partition without an owner's row is logged",
    file: 'workers/consumer/pump.ts',
    find: 'if (partitions.length > 0)\n      this.deps.logger.error(',
    replace: 'if (partitions.length > 1e6)\n      this.deps.logger.error(',
    ...OWNERLESS,
  },
  {
    guard: "a partition without an owner's row is counted",
    file: 'workers/consumer/ownerless.ts',
    find: 'partitionsWithoutOwner.set(new Set(deliveries.map(({ ownership }) => ownership.name)).size);',
    replace: 'partitionsWithoutOwner.set(0);',
    ...OWNERLESS,
  },
  {
    guard: "a partition without an owner's row is told by the doctor",
    file: 'workers/ops/doctor/pipeline.ts',
    find: 'return missing.length === 0\n    ?',
    replace: 'return missing.length >= 0\n    ?',
    tests: 'test/integration/workers/ops/doctor.test.ts',
    only: 'finds what is wrong',
    built: true,
  },
  {
    guard: "commands of a partition without an owner's row are kept until it is there",
    file: 'workers/consumer/pump.ts',
    find: '      this.setAside(batch.filter(({ ownership }) => ownership.epoch === null));\n',
    replace: '',
    ...OWNERLESS,
  },
  {
    guard: 'commands that come meanwhile do not overtake those that wait for the row',
    file: 'workers/consumer/pump.ts',
    find: 'ownership.epoch === null && !this.ownerless.has(ownership)',
    replace: 'ownership.epoch === null',
    ...OWNERLESS,
  },
  {
    guard: 'a service that is new to an installation gets its rows at the start',
    file: 'shared/database/layouts.ts',
    find: '  await addMissingOwners(database, services);\n  const',
    replace: '  const',
    tests: 'test/integration/programs/toy-service.test.ts',
    only: 'has its commands carried out',
    built: true,
  },
  {
    guard: 'rows of a layout that is drained are not made again',
    file: 'shared/database/layouts.ts',
    find: 'const open = (await readLayouts()).filter(({ drained }) => !drained);\n  const owners',
    replace: 'const open = await readLayouts();\n  const owners',
    tests: 'test/integration/workers/consumer/ownerless.test.ts',
    only: 'are not made again',
  },
];
