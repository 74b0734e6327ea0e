import { useEffect, useRef } from 'react';
import { isBusy, isOld, isUnowned } from './alerts';
import type { Partition } from './samples';
import { consoleTexts } from './texts';

/** Every partition as a small square: a picture, drawn anew with each sample. */

const GAP_PX = 2;
/** From one square to the next: few partitions have larger squares, many have several rows. */
const [STEP_MIN_PX, STEP_MAX_PX] = [14, 32];
/** From this depth on, a square has its full strength. */
const DEPTH_FULL = 1000;
/** How strong the square of a partition with a single command is, of 1. */
const STRENGTH_MIN = 0.35;

type State = 'idle' | 'busy' | 'old' | 'unowned';
/** The colours of the states, as the design names them. */
const COLOURS: Readonly<Record<State, string>> = {
  idle: '--sunken',
  busy: '--accent',
  old: '--warn',
  unowned: '--bad',
};

const stateOf = (partition: Partition): State =>
  isUnowned(partition) ? 'unowned' : isOld(partition) ? 'old' : isBusy(partition) ? 'busy' : 'idle';

const strengthOf = ({ depth }: Partition): number =>
  Math.min(
    1,
    STRENGTH_MIN + ((1 - STRENGTH_MIN) * Math.log1p(depth ?? 0)) / Math.log1p(DEPTH_FULL),
  );

function draw(canvas: HTMLCanvasElement, partitions: readonly Partition[]): void {
  const room = Math.floor(canvas.clientWidth / Math.max(1, partitions.length));
  const step = Math.min(Math.max(room, STEP_MIN_PX), STEP_MAX_PX);
  const size = step - GAP_PX;
  const columns = Math.max(1, Math.floor(canvas.clientWidth / step));
  const scale = window.devicePixelRatio;
  canvas.width = columns * step * scale;
  canvas.height = Math.ceil(partitions.length / columns) * step * scale;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const colours = Object.fromEntries(
    Object.entries(COLOURS).map(([state, name]) => [state, style.getPropertyValue(name).trim()]),
  );
  for (const [index, partition] of partitions.entries()) {
    const state = stateOf(partition);
    context.globalAlpha = state === 'busy' ? strengthOf(partition) : 1;
    context.fillStyle = colours[state] ?? '';
    context.fillRect((index % columns) * step, Math.floor(index / columns) * step, size, size);
  }
}

export function Heat({ partitions }: { readonly partitions: readonly Partition[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const redraw = () => {
      draw(element, partitions);
    };
    redraw();
    const sizes = new ResizeObserver(redraw);
    sizes.observe(element);
    return () => {
      sizes.disconnect();
    };
  }, [partitions]);
  const of = consoleTexts.heat;
  const count = (is: (partition: Partition) => boolean) => partitions.filter(is).length;
  return (
    <figure className="heat">
      <figcaption>
        <strong>{of.heading}</strong>
        {(['idle', 'busy', 'old', 'unowned'] as const).map((state) => (
          <span key={state} className={`key ${state}`}>
            {of[state]}
          </span>
        ))}
      </figcaption>
      <canvas
        ref={canvas}
        role="img"
        aria-label={of.name(partitions.length, count(isBusy), count(isOld), count(isUnowned))}
      />
    </figure>
  );
}
