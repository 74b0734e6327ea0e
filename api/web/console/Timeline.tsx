import type { Schemas } from '../shared/client';
import { texts } from '../shared/texts';

type Track = Schemas['CommandTrack'];

const STEPS = ['received', 'confirmed', 'taken', 'decided', 'committed', 'answered'] as const;
type Step = (typeof STEPS)[number];

interface Reached {
  readonly step: Step;
  /** Milliseconds after the command was received; null when nobody told. */
  readonly afterMs: number | null;
}

/**
 * The steps in the order in which they were reached; those that nobody told keep their place behind
 * the one before.
 */
function wayOf(track: Track): Reached[] {
  const received = Date.parse(track.receivedAt);
  return STEPS.map((step) => {
    const at = track[`${step}At`];
    return { step, afterMs: at === null ? null : Date.parse(at) - received };
  });
}

/** How a command went, step by step. */
export function Timeline({ track }: { readonly track: Track }) {
  const way = wayOf(track);
  const longest = Math.max(1, ...way.map(({ afterMs }) => afterMs ?? 0));
  return (
    <ol className="timeline" aria-label={texts.console.commands.way}>
      {way.map(({ step, afterMs }) => (
        <li key={step} className={afterMs === null ? 'unknown' : ''}>
          <span>{texts.console.commands.steps[step]}</span>
          <progress aria-hidden="true" value={afterMs ?? 0} max={longest} />
          <span>{texts.console.after(afterMs)}</span>
        </li>
      ))}
    </ol>
  );
}
