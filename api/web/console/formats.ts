import { language } from '../shared/format';

/** How the console writes instants and measurements. */

const clockFormat = new Intl.DateTimeFormat(language, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** `seconds` since 1970. */
export const shownClock = (seconds: number): string => clockFormat.format(new Date(seconds * 1000));
export const rounded = (value: number): string =>
  value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
