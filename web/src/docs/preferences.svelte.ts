// What the person chose on this page: the language of the samples, and the key and token for requests that it sends.
import { readSetting, writeSetting } from '$/lib/settings';
import { LANGUAGES } from './code';

class Preferences {
  #language = $state(LANGUAGES.find(({ name }) => name === readSetting('docs-language'))?.name ?? 'curl');
  /** Only in this tab and only until it is left: a key that is stored can be stolen. */
  key = $state('');
  token = $state('');

  get language() {
    return this.#language;
  }
  set language(name: string) {
    this.#language = name;
    writeSetting('docs-language', name);
  }
}

export const preferences = new Preferences();
