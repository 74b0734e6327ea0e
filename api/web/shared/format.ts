/** The language of the pages, and how dates and numbers are written in it. */

const KEY = 'lendline.language';

export const LANGUAGES = { en: 'English', ko: '한국어' } as const;
export type Language = keyof typeof LANGUAGES;

const isLanguage = (text: string | null | undefined): text is Language =>
  text !== null && text !== undefined && Object.hasOwn(LANGUAGES, text);

/**
 * Returns the language that the user has chosen, or the first one of the browser that the pages
 * have.
 */
function languageOf(chosen: string | null, wishes: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  return wishes.map((wish) => wish.split('-')[0]).find(isLanguage) ?? 'en';
}

export const language = languageOf(localStorage.getItem(KEY), navigator.languages);
document.documentElement.lang = language;

/** Every text is read when a page is loaded. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(KEY, next);
  location.reload();
}

const dayFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const nearDayFormat = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
/** A day this near needs no year, milliseconds. */
const NEAR_MS = 180 * 24 * 60 * 60 * 1000;
const timeFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const momentFormat = new Intl.DateTimeFormat(language, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});
/** A date has no zone: it is the same day everywhere. */
const dateFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const numberFormat = new Intl.NumberFormat(language);

/** An RFC 3339 instant as people write it, in the zone of the browser. */
export const shownDay = (instant: string): string => dayFormat.format(new Date(instant));
/** The same, without the year where everybody knows it. */
export const shownNearDay = (instant: string): string =>
  Math.abs(Date.parse(instant) - Date.now()) < NEAR_MS
    ? nearDayFormat.format(new Date(instant))
    : shownDay(instant);
export const shownTime = (instant: string): string => timeFormat.format(new Date(instant));
/** With seconds. */
export const shownMoment = (instant: string): string => momentFormat.format(new Date(instant));
export const shownNumber = (value: number): string => numberFormat.format(value);

/** Catalogues write a year as its first day. */
export const shownDate = (date: string): string =>
  date.endsWith('-01-01') ? String(Number(date.slice(0, 4))) : dateFormat.format(new Date(date));
