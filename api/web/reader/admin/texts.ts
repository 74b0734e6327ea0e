import { inLanguage } from '../../shared/in-language';
import { englishAdmin } from './texts-en';
import { koreanAdmin } from './texts-ko';

/** Every text of the catalogue's management. */
export const adminTexts = inLanguage({ en: englishAdmin, ko: koreanAdmin });
