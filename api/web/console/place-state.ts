import { useLocation } from 'wouter';

/**
 * Keeps the state of a place in the second part of its address
 * (`/partitions/sort=-depth&q=lending`), so that it can be linked to and reloaded.
 */

export const placeWith = (place: string, state: Readonly<Record<string, string>>): string => {
  const given = Object.entries(state).filter(([, value]) => value !== '');
  return given.length === 0
    ? `/${place}`
    : `/${place}/${new URLSearchParams(Object.fromEntries(given)).toString()}`;
};

export interface PlaceState {
  /** Returns a value by its name, or an empty text. */
  readonly value: (name: string) => string;
  /** Changes values, and leaves the others. */
  readonly change: (changes: Readonly<Record<string, string>>) => void;
}

export function usePlaceState(): PlaceState {
  const [location, navigate] = useLocation();
  const [, place = '', text = ''] = location.split('/');
  const state = new URLSearchParams(text);
  return {
    value: (name) => state.get(name) ?? '',
    change: (changes) => {
      navigate(placeWith(place, { ...Object.fromEntries(state), ...changes }), { replace: true });
    },
  };
}
