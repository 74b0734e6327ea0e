import { texts } from './texts';

const LINES = 4;

/** Stands where data will be, so that nothing jumps when it comes. */
export function Skeleton() {
  return (
    <div className="skeleton" role="status" aria-busy="true" aria-label={texts.loading}>
      {Array.from({ length: LINES }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
