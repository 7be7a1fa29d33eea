import { readSetting, writeSetting } from '$/lib/settings';

export type Theme = 'light' | 'dark' | 'system';

/** The theme. theme-init.js sets it before the first paint by the same rules. */
class ThemeState {
  #preference = $state<Theme>('system');
  #system = matchMedia('(prefers-color-scheme: dark)');
  #systemDark = $state(this.#system.matches);

  constructor() {
    const stored = readSetting('theme');
    if (stored === 'light' || stored === 'dark') this.#preference = stored;
    this.#system.addEventListener('change', (event) => {
      this.#systemDark = event.matches;
      this.#apply();
    });
  }

  get preference() {
    return this.#preference;
  }
  /** Whether the dark theme is in effect. */
  get dark() {
    return this.#preference === 'dark' || (this.#preference === 'system' && this.#systemDark);
  }

  set(theme: Theme) {
    this.#preference = theme;
    writeSetting('theme', theme === 'system' ? null : theme);
    this.#apply();
  }

  #apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
  }
}

export const theme = new ThemeState();
