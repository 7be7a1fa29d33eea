// The choice of the language in which a map is laid out.

import { byId } from './dom';
import type { Language } from './network';

const NAMES: Record<Language, string> = { ja: '日本語', en: 'English', 'ja-en': '日本語 + English' };

export function attachLanguages(onChoose: (language: Language) => Promise<void>) {
  const select = byId<HTMLSelectElement>('language');
  select.addEventListener('change', () => void onChoose(select.value as Language));
  return {
    /** Offers the languages of a map. A map with one has no choice. */
    fill(languages: Language[], current: Language): void {
      byId('language-choice').hidden = languages.length < 2;
      select.replaceChildren(...languages.map((language) => new Option(NAMES[language], language)));
      select.value = current;
    },
  };
}
