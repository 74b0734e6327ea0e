import { Skeleton } from '../shared/Skeleton';
import { useWatched } from './samples';

/** Stands below the name of a place until the first sample comes. */
export function Unwatched() {
  const { last, error } = useWatched();
  return !last && !error && <Skeleton />;
}
