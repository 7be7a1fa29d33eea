import { readSetting, writeSetting } from '$/lib/settings';

export type Theme = 'light' | 'dark' | 'system';

/** The theme. theme-init.js sets it before the first paint by the same rules. */
class ThemeState {
  #chosen = $state<Theme>('system');
  #system = matchMedia('(prefers-color-scheme: dark)');
  #systemDark = $state(this.#system.matches);

  constructor() {
    const before = readSetting('theme');
    if (before === 'light' || before === 'dark') this.#chosen = before;
    this.#system.addEventListener('change', (event) => {
      this.#systemDark = event.matches;
      this.#apply();
    });
  }

  get chosen() {
    return this.#chosen;
  }
  /** Whether the dark theme is in effect. */
  get dark() {
    return this.#chosen === 'dark' || (this.#chosen === 'system' && this.#systemDark);
  }

  choose(theme: Theme) {
    this.#chosen = theme;
    writeSetting('theme', theme === 'system' ? null : theme);
    this.#apply();
  }

  #apply() {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
  }
}

export const theme = new ThemeState();
