/**
 * Loaded into a program under test with NODE_OPTIONS=--require: plants the fault that TEST_PLANTED
 * names, which a check of histories has to notice.
 * - `stale read`: the cache is never told of a change
 * - `doubled effect`: adding copies has its effect twice, and is answered as if it had it once
 */
const wrapExports = require('../../service/wrap-exports');

const deaf = (cache) => ({ ...cache, bump: () => Promise.resolve() });

/** Ids beyond those that commands ask for, so that twice the copies have ids as well. */
let nextId = Date.now() * 1000;
const takeId = () => (nextId += 1);

const faults = {
  'stale read': {
    openRedisCache:
      (open) =>
      async (...given) =>
        deaf(await open(...given)),
    createMemoryCache: (create) => () => deaf(create()),
  },
  'doubled effect': {
    decideLending: (decide) => (state, command, context, rules) => {
      if (command.type !== 'lending.add-copies') return decide(state, command, context, rules);
      const { decision } = decide(state, command, context, rules);
      const twice = {
        ...command,
        payload: { ...command.payload, count: 2 * command.payload.count },
      };
      return { decision, changes: decide(state, twice, { ...context, takeId }, rules).changes };
    },
  },
};

wrapExports(faults[process.env.TEST_PLANTED] ?? {});
