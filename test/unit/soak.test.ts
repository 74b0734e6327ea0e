import { slopeOf, verdictOn, type Point } from '../soak/verdict';

const measure = { name: 'heap', part: 0.1, least: 6 };
const minutes = (value: (minute: number) => number): Point[] =>
  Array.from({ length: 51 }, (_, index) => [10 + index, value(10 + index)]);

describe('the verdict of a soak', () => {
  it('finds the slope of a straight line, whatever swings around it', () => {
    expect(slopeOf(minutes((minute) => 3 * minute + 7))).toBeCloseTo(3);
    expect(slopeOf(minutes((minute) => 2 * minute + (minute % 2)))).toBeCloseTo(2, 1);
  });

  it('takes a leak for growth when it comes to more than is allowed', () => {
    expect(
      verdictOn(
        measure,
        minutes((minute) => 100 + 0.5 * minute),
      ),
    ).toMatchObject({ growth: 25, flat: false });
    expect(
      verdictOn(
        measure,
        minutes((minute) => 100 + 0.1 * minute),
      ).flat,
    ).toBe(true);
  });

  it('counts swinging or falling values as flat', () => {
    expect(
      verdictOn(
        measure,
        minutes((minute) => 100 + 20 * (minute % 2)),
      ).flat,
    ).toBe(true);
    expect(
      verdictOn(
        measure,
        minutes((minute) => 200 - minute),
      ).flat,
    ).toBe(true);
  });

  it('does not count missing or unreadable values as flat', () => {
    expect(verdictOn(measure, []).flat).toBe(false);
    expect(
      verdictOn(
        measure,
        minutes(() => NaN),
      ).flat,
    ).toBe(false);
  });
});
