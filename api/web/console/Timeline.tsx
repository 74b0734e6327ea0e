import type { Track } from './calls';
import { consoleTexts } from './texts';

/**
 * Shows how a command went, as a waterfall: each step from the end of the one before it. Steps
 * belong to attempts, because a replay carries a command out again, much later.
 */

interface Step {
  readonly label: string;
  /** The process that did it, when it is known. */
  readonly by: string | null;
  /** Milliseconds since 1970; null when unknown. */
  readonly at: number | null;
  readonly note?: string;
}

interface Attempt {
  /** The instant from which time is counted. */
  readonly began: number;
  readonly steps: readonly Step[];
}

const instant = (at: string | null): number | null => (at === null ? null : Date.parse(at));
const { steps: names } = consoleTexts.commands;

function receptionOf({ receivedAt, confirmedAt, api }: Track): Step[] {
  return [
    { label: names.received, by: api, at: Date.parse(receivedAt) },
    { label: names.confirmed, by: api, at: instant(confirmedAt) },
  ];
}

function endOf({ takenAt, decidedAt, committedAt, answeredAt, worker, api }: Track): Step[] {
  return [
    { label: names.taken, by: worker, at: instant(takenAt) },
    { label: names.decided, by: worker, at: instant(decidedAt) },
    { label: names.committed, by: worker, at: instant(committedAt) },
    { label: names.answered, by: api, at: instant(answeredAt) },
  ];
}

function attemptsOf(track: Track): Attempt[] {
  const received = Date.parse(track.receivedAt);
  const failed = track.failures.map(({ failedAt, reason, parked, answeredAt }, index) => {
    const at = Date.parse(failedAt);
    const failure: Step = {
      label: parked ? consoleTexts.way.parked : consoleTexts.way.failed,
      ...{ by: null, at, note: reason },
    };
    const answered: Step = { label: names.answered, by: track.api, at: instant(answeredAt) };
    return index === 0
      ? { began: received, steps: [...receptionOf(track), failure, answered] }
      : { began: at, steps: [failure] };
  });
  if (failed.length === 0)
    return [{ began: received, steps: [...receptionOf(track), ...endOf(track)] }];
  const taken = instant(track.takenAt);
  const last = endOf(track).filter(({ at }) => at !== null);
  return taken === null ? failed : [...failed, { began: taken, steps: last }];
}

/** Returns each step with the beginning of its bar: the end of the last known step before it. */
function barsOf({ began, steps }: Attempt) {
  let before = began;
  return steps.map((step) => {
    const from = before - began;
    before = Math.max(before, step.at ?? before);
    return { step, from, to: step.at === null ? null : Math.max(step.at, began) - began };
  });
}

const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;

function Steps({ attempt }: { readonly attempt: Attempt }) {
  const bars = barsOf(attempt);
  const longest = Math.max(1, ...bars.map(({ to }) => to ?? 0));
  return (
    <ol className="timeline" aria-label={consoleTexts.commands.way}>
      {bars.map(({ step, from, to }) => (
        <li key={step.label} className={to === null ? 'unknown' : ''}>
          <span>
            {step.label} {step.by !== null && <small>{step.by}</small>}
          </span>
          <span className="track" aria-hidden="true">
            {to !== null && (
              <span
                style={{
                  marginLeft: percent(Math.min(from, to), longest),
                  width: percent(Math.max(0, to - from), longest),
                }}
              />
            )}
          </span>
          <span>{consoleTexts.after(to)}</span>
          {step.note !== undefined && <small className="note">{step.note}</small>}
        </li>
      ))}
    </ol>
  );
}

/** Shows how a command went, step by step. */
export function Timeline({ track }: { readonly track: Track }) {
  const attempts = attemptsOf(track);
  return attempts.map((attempt, index) => (
    <section key={attempt.began} className="attempt">
      {attempts.length > 1 && (
        <h3>
          {consoleTexts.way.attempt(
            index + 1,
            consoleTexts.instant(new Date(attempt.began).toISOString()),
          )}
        </h3>
      )}
      <Steps attempt={attempt} />
    </section>
  ));
}
