import { inLanguage } from '../shared/in-language';
import { englishDesk } from './texts-en';
import { koreanDesk } from './texts-ko';

/** Every text of the desk. */
export const deskTexts = inLanguage({ en: englishDesk, ko: koreanDesk });
