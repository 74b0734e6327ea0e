import { language, type Language } from './format';

/**
 * Returns the texts in the language of the page. A test of forgotten texts puts marks around them
 * here.
 */
export const inLanguage = <Texts>(all: Readonly<Record<Language, Texts>>): Texts => all[language];
