/**
 * Loaded into a program under test with NODE_OPTIONS=--require: its clock is wrong by the
 * milliseconds in the file at TEST_CLOCK, and jumps when they change. What counts time without a
 * clock, timers and `performance.now()`, is not touched.
 */
const { readFileSync } = require('node:fs');
const { setInterval } = require('node:timers');

/** How soon a jump is seen, milliseconds. */
const LOOK_MS = 50;

const right = Date;
let wrongByMs = 0;
const look = () => {
  wrongByMs = Number(readFileSync(process.env.TEST_CLOCK, 'utf8'));
};
look();
setInterval(look, LOOK_MS).unref();

const now = () => right.now() + wrongByMs;
globalThis.Date = new Proxy(right, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  get: (target, name) => (name === 'now' ? now : target[name]),
});
