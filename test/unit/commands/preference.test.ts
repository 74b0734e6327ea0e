import { readPreference } from '../../../api/commands/preference';

describe('the Prefer header', () => {
  it.each([
    [undefined, null, null],
    ['', null, null],
    ['respond-async', 0, 'respond-async'],
    ['Respond-Async', 0, 'respond-async'],
    ['wait=5', 5000, 'wait=5'],
    ['wait = 5', 5000, 'wait=5'],
    ['WAIT="5"', 5000, 'wait=5'],
    ['wait=0', 0, 'wait=0'],
    ['wait=30', 30_000, 'wait=30'],
    ['wait=31', 30_000, 'wait=30'],
    ['wait=999999999', 30_000, 'wait=30'],
    ['respond-async, wait=5', 5000, 'respond-async, wait=5'],
    ['wait=5, respond-async', 5000, 'respond-async, wait=5'],
    ['respond-async; wait=5', 0, 'respond-async'],
    ['handling=lenient; x="a, wait=7", wait=5', 5000, 'wait=5'],
    ['return=minimal, wait=5, handling=lenient', 5000, 'wait=5'],
    ['wait=5, wait=9', 5000, 'wait=5'],
  ])('%j means to wait %j ms, and applied is %j', (header, waitMs, applied) => {
    expect(readPreference(header)).toMatchObject({ waitMs, applied });
  });

  it.each([
    'wait',
    'wait=',
    'wait=-1',
    'wait=1.5',
    'wait=1s',
    'wait=ten',
    'wait=99999999999999999999',
    'xwait=5',
    'x;wait=5',
    'x="a, wait=5"',
    'respond-asynchronously',
    'respond-async=maybe',
    ',;,',
  ])('is ignored where it is not understood: %j', (header) => {
    expect(readPreference(header)).toEqual(readPreference(undefined));
  });

  it('asks for nothing when it is absent', () => {
    const nothing = { waitMs: null, promiseOnly: false, isMinimal: false, applied: null };
    expect(readPreference(undefined)).toEqual(nothing);
  });

  it.each([
    ['return=minimal', true],
    ['Return = "minimal"; x', true],
    ['return=minimal, return=representation', true],
    ['return=representation, return=minimal', false],
    ['return=least', false],
    ['x; return=minimal', false],
  ])('takes the first return that it names: %s', (header, isMinimal) => {
    expect(readPreference(header).isMinimal).toBe(isMinimal);
  });

  it('wants the promise in any case only when it names no wait', () => {
    expect(
      ['respond-async', 'respond-async, wait=0', 'wait=0', undefined].map(
        (header) => readPreference(header).promiseOnly,
      ),
    ).toEqual([true, false, false, false]);
  });
});
