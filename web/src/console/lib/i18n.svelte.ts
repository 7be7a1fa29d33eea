import { readSetting, writeSetting } from '$/lib/settings';
import type { Messages } from '$/messages/en';

export type Language = 'en' | 'ja';

const loaders: Record<Language, () => Promise<Messages>> = {
  en: async () => (await import('$/messages/en')).en,
  ja: async () => (await import('$/messages/ja')).ja,
};

function initialLanguage(): Language {
  const stored = readSetting('language');
  if (stored === 'en' || stored === 'ja') return stored;
  return navigator.language.startsWith('ja') ? 'ja' : 'en';
}

class LanguageState {
  #language = $state<Language>(initialLanguage());
  #messages = $state.raw<Messages | null>(null);

  get language() {
    return this.#language;
  }
  get messages(): Messages {
    if (!this.#messages) throw new Error('the messages are not loaded yet');
    return this.#messages;
  }

  /**
   * Loads the messages of the current language. Called before the first page is rendered and when the language changes.
   */
  async load(language: Language = this.#language) {
    this.#messages = await loaders[language]();
    this.#language = language;
    document.documentElement.lang = language;
  }

  async setLanguage(language: Language) {
    writeSetting('language', language);
    await this.load(language);
  }
}

export const i18n = new LanguageState();

/**
 * The messages of the current language: `t.common.save`, `t.applications.keys(3)`. Templates react to a change of
 * language.
 */
export const t: Messages = new Proxy({} as Messages, {
  get: (_, page: string) => i18n.messages[page as keyof Messages],
});
