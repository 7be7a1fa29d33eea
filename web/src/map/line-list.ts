// The list of the map's lines.

import { displayName } from '../shared/display-name';
import { byId, inside } from './dom';
import { isJapanese, messages } from './messages';
import type { MapLine } from './network';

export type LineListOptions = { onChoose: (line: MapLine) => void; onToggle: () => void };

export class LineList {
  readonly element = byId('lines');
  readonly #button = byId('lines-button');
  readonly #options: LineListOptions;

  constructor(options: LineListOptions) {
    this.#options = options;
    this.#button.addEventListener('click', () => this.toggle(this.element.hidden));
    inside(this.element, '.close').addEventListener('click', () => {
      this.toggle(false);
      this.#button.focus();
    });
  }

  toggle(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    this.#button.setAttribute('aria-expanded', String(isOpen));
    this.#options.onToggle();
  }

  /** Lists the lines of a map. */
  fill(lines: MapLine[]): void {
    inside(this.element, 'ul').replaceChildren(...lines.map((line) => this.#row(line)));
    this.#button.hidden = lines.length === 0;
  }

  /** Marks the highlighted line. */
  mark(line: MapLine | undefined): void {
    for (const button of this.element.querySelectorAll<HTMLElement>('li button')) {
      button.setAttribute('aria-pressed', String(line?.code === Number(button.dataset.code)));
    }
  }

  #row(line: MapLine): HTMLElement {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.dataset.code = String(line.code);
    button.setAttribute('aria-pressed', 'false');
    const color = document.createElement('i');
    color.style.background = line.color;
    const name = document.createElement('span');
    name.textContent = displayName(line, isJapanese);
    const count = document.createElement('small');
    count.textContent = messages.stations(line.stations.length);
    button.append(color, name, count);
    button.addEventListener('click', () => this.#options.onChoose(line));
    item.append(button);
    return item;
  }
}
