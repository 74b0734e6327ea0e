const Module = require('node:module');

/**
 * Wraps functions that the program's modules export, by name. For hooks that are loaded before the
 * program.
 */
module.exports = function wrapExports(wrappers) {
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
};
