import { readSetting, writeSetting } from '$/lib/settings';
import type { Messages } from '$/messages/en';

export type Language = 'en' | 'ja';

const load: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import('$/messages/en')).en,
  ja: async () => (await import('$/messages/ja')).ja,
};

function first(): Language {
  const before = readSetting('language');
  if (before === 'en' || before === 'ja') return before;
  return navigator.language.startsWith('ja') ? 'ja' : 'en';
}

class LanguageState {
  #language = $state<Language>(first());
  #words = $state.raw<Messages | null>(null);

  get language() {
    return this.#language;
  }
  get words(): Messages {
    if (!this.#words) throw new Error('the words are not loaded yet');
    return this.#words;
  }

  /**
   * Loads the messages of the current language. Called before the first page is rendered and when the language changes.
   */
  async use(language: Language = this.#language) {
    this.#words = await load[language]();
    this.#language = language;
    document.documentElement.lang = language;
  }

  async choose(language: Language) {
    writeSetting('language', language);
    await this.use(language);
  }
}

export const i18n = new LanguageState();

/**
 * The messages of the current language: `t.common.save`, `t.applications.keys(3)`. Templates react to a change of
 * language.
 */
export const t: Messages = new Proxy({} as Messages, { get: (_, page: string) => i18n.words[page as keyof Messages] });
