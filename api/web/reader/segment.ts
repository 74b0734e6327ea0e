import { useHashLocation } from 'wouter/use-hash-location';

/**
 * A part of the place behind the `#` as it was written, from 1 on: parameters of routes have some
 * characters decoded and others not.
 */
export function useSegment(index: number): string {
  const [place] = useHashLocation();
  return place.split('/')[index] ?? '';
}

/** The text that was percent-encoded; what somebody has typed otherwise is taken as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
