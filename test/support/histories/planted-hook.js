/**
 * Loaded into a program under test with NODE_OPTIONS=--require: plants the fault that TEST_PLANTED names, which
 * a check of histories has to notice.
 * - `stale read`: the cache is never told of a change
 * - `doubled effect`: adding copies has its effect twice, and is answered as if it had it once
 */
const Module = require('node:module');

const deaf = (cache) => ({ ...cache, bump: () => Promise.resolve() });

const faults = {
  'stale read': {
    openRedisCache: (open) => async (...given) => deaf(await open(...given)),
    createMemoryCache: (create) => () => deaf(create()),
  },
  'doubled effect': {
    decideLending: (decide) => (state, command, context, rules) => {
      if (command.type !== 'lending.add-copies') return decide(state, command, context, rules);
      const { decision } = decide(state, command, context, rules);
      const twice = { ...command, payload: { ...command.payload, count: 2 * command.payload.count } };
      return { decision, changes: decide(state, twice, context, rules).changes };
    },
  },
};

const wrappers = faults[process.env.TEST_PLANTED] ?? {};
const load = Module._load;
const wrapped = new WeakSet();
Module._load = function loadWrapped(...given) {
  const exports = load.apply(this, given);
  if (typeof exports !== 'object' || exports === null || wrapped.has(exports)) return exports;
  for (const [name, wrap] of Object.entries(wrappers)) {
    if (typeof exports[name] !== 'function') continue;
    exports[name] = wrap(exports[name]);
    wrapped.add(exports);
  }
  return exports;
};
