import { withHistory, withPoint } from '../../../api/web/console/points';

/** What the console's charts draw: points of a second, and gaps where nothing is known. */

const at = (second: number) => `2026-11-27T02:17:${String(second).padStart(2, '0')}.000Z`;
const point = (second: number) => ({ at: at(second), perSecond: 4, depth: 1, oldestAgeMs: 20 });
const gap = (second: number) => ({
  at: at(second),
  perSecond: null,
  depth: null,
  oldestAgeMs: null,
});

it('draws a gap before a point that comes late', () => {
  expect(withPoint([point(1)], point(2))).toEqual([point(1), point(2)]);
  expect(withPoint([point(2)], point(9))).toEqual([point(2), gap(2), point(9)]);
});

it('draws a gap inside the history, for the time in which nobody watched', () => {
  const history = [point(1), point(2), point(20), point(21)];
  const shown = [point(1), point(2), gap(2), point(20), point(21)];
  expect(withHistory([], history)).toEqual(shown);
  expect(withHistory([point(22)], history)).toEqual([...shown, point(22)]);
});

it('shows an instant once that the history has as well', () => {
  expect(withHistory([point(2)], [point(1), point(2)])).toEqual([point(1), point(2)]);
});
