import type { Envelope, Outcome } from '../../../shared/command';
import type { CommandDelivery } from '../../../workers/batch/ownership/deliveries';
import {
  Evidence,
  symptomOf,
  SYSTEM_FAULT_MAX_MS,
  type Verdict,
} from '../../../workers/batch/failures/evidence';
import { POISON_TRIES_MAX } from '../../../workers/batch/failures/retry';

/** When a command that fails alone is at fault, and when the system is. */

let ids = 0;
const command = (key: string, type = 'posts.write'): Envelope =>
  ({ commandId: `c${(ids += 1)}`, key, type }) as Envelope;
const held = { lost: false };
const delivered = (envelope: Envelope, ownership = held) =>
  ({ ownership, message: { envelope } }) as CommandDelivery;
const refused = ({ commandId, type }: Envelope, code = 'OUT_OF_STOCK'): Outcome =>
  ({
    commandId,
    type,
    ending: { status: 'failed', refusal: { code, detail: '' } },
  }) as unknown as Outcome;
const error = new TypeError('title of 7 is undefined');

describe('evidence', () => {
  let evidence: Evidence;
  beforeEach(() => {
    evidence = new Evidence();
  });

  const fails = (
    envelope: Envelope,
    times: number,
    why: Error = error,
    ownership = held,
  ): Verdict[] =>
    Array.from({ length: times }, () => evidence.judge(delivered(envelope, ownership), why));

  it('speaks against a command that fails alone again and again, as no other does', () => {
    expect(fails(command('post:1'), POISON_TRIES_MAX)).toEqual(['unknown', 'unknown', 'command']);
  });

  it('speaks against the system when commands of two aggregates fail alike', () => {
    fails(command('post:1'), 1);
    expect(fails(command('post:2'), POISON_TRIES_MAX)).toEqual(['unknown', 'unknown', 'system']);
  });

  it('speaks against the command when the other failure is of the same aggregate, or of another kind', () => {
    const given = command('post:1');
    fails(command('post:1'), 1);
    fails(command('post:2'), 1, new RangeError('too many'));
    expect(fails(given, POISON_TRIES_MAX).at(-1)).toBe('command');
  });

  it('speaks against both commands once another of their type is carried out, even if it is refused', () => {
    const [one, other] = [command('post:1'), command('post:2')];
    fails(one, 1);
    expect(fails(other, POISON_TRIES_MAX).at(-1)).toBe('system');
    evidence.carriedOut([refused(command('post:3'))]);
    expect(evidence.judge(delivered(other), error)).toBe('command');
  });

  it('speaks against a command that fails as one did which became a dead letter before', () => {
    expect(fails(command('post:1'), POISON_TRIES_MAX).at(-1)).toBe('command');
    expect(fails(command('post:2'), POISON_TRIES_MAX).at(-1)).toBe('command');
  });

  it('speaks against the command when the other failed while its partition was held, which another worker has now', () => {
    const ownership = { lost: false };
    fails(command('post:1'), 1, error, ownership);
    ownership.lost = true;
    expect(fails(command('post:2'), POISON_TRIES_MAX).at(-1)).toBe('command');
  });

  it('speaks against the system when its partition was lost between and came back', () => {
    const [lost, again] = [{ lost: false }, { lost: false }];
    const one = command('post:1');
    fails(one, 1, error, lost);
    lost.lost = true;
    fails(one, 1, error, again);
    expect(fails(command('post:2'), POISON_TRIES_MAX).at(-1)).toBe('system');
  });

  it('does not take a command of another type, or one that was parked, for a proof of the system', () => {
    const [one, other] = [command('post:1'), command('post:2')];
    fails(one, 1);
    fails(other, POISON_TRIES_MAX);
    evidence.carriedOut([
      refused(command('course:3', 'courses.create')),
      refused(command('post:1'), 'COMMAND_FAILED'),
    ]);
    expect(evidence.judge(delivered(other), error)).toBe('system');
  });

  it('speaks against commands that have failed alike for longer than taking a release back takes', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const [one, other] = [command('post:1'), command('post:2')];
    fails(one, 1);
    fails(other, POISON_TRIES_MAX);
    now.mockReturnValue(SYSTEM_FAULT_MAX_MS + 1);
    evidence.judge(delivered(one), error);
    expect(evidence.judge(delivered(other), error)).toBe('command');
    now.mockRestore();
  });

  it('does not hold a failure of long ago against the system', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    fails(command('post:1'), 1);
    now.mockReturnValue(60_000);
    expect(fails(command('post:2'), POISON_TRIES_MAX).at(-1)).toBe('command');
    now.mockRestore();
  });

  it('compares failures without their values', () => {
    expect(symptomOf(new TypeError(`Column 'a b' of row 12 is "x"`))).toBe(
      symptomOf(new TypeError(`Column 'c' of row 999 is "y z"`)),
    );
    expect(symptomOf(new TypeError('a'))).not.toBe(symptomOf(new RangeError('a')));
  });
});
