// The search box: suggests stations while the user types. They are selected by mouse, finger or keyboard.

import type { MapLine, MapStation, Network } from './network';

const MAX_SUGGESTIONS = 8;

export type SearchMessages = { formerly: (names: string) => string; count: (count: number) => string };

export type SearchOptions = {
  /** The map to search, once it is loaded. */
  network: () => Network | undefined;
  onChoose: (station: MapStation) => void;
  /** Tells screen readers something. */
  announce: (text: string) => void;
  messages: SearchMessages;
  input: HTMLInputElement;
  list: HTMLElement;
};

/** The second row of a suggestion: kana, translation and former names. */
export const describe = ({ yomi, translation, formerly }: MapStation, messages: SearchMessages) =>
  [yomi, translation, formerly?.length ? messages.formerly(formerly.join('、')) : ''].filter(Boolean).join(' · ');

/** A bar with the colours of a station's lines. */
function swatch(lines: MapLine[]): HTMLElement {
  const bar = document.createElement('span');
  bar.className = 'swatch';
  bar.setAttribute('aria-hidden', 'true');
  for (const { color } of lines.slice(0, 6)) {
    const part = document.createElement('i');
    part.style.background = color;
    bar.append(part);
  }
  return bar;
}

export function attachSearch({ network, onChoose, announce, messages, input, list }: SearchOptions): void {
  let stations: MapStation[] = [];
  let active = -1;

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };

  const activate = (index: number) => {
    active = index;
    [...list.children].forEach((row, at) => row.setAttribute('aria-selected', String(at === index)));
    if (index < 0) {
      input.removeAttribute('aria-activedescendant');
      return;
    }
    input.setAttribute('aria-activedescendant', `found-${index}`);
    list.children[index]?.scrollIntoView({ block: 'nearest' });
  };

  const choose = (station: MapStation) => {
    input.value = station.name;
    close();
    onChoose(station);
  };

  const row = (station: MapStation, index: number) => {
    const item = document.createElement('li');
    item.id = `found-${index}`;
    item.role = 'option';
    item.setAttribute('aria-selected', 'false');
    const text = document.createElement('span');
    const name = document.createElement('strong');
    name.textContent = station.name;
    const more = document.createElement('small');
    more.textContent = describe(station, messages);
    text.append(name, more);
    const code = document.createElement('code');
    code.textContent = String(station.code);
    item.append(swatch(station.lines), text, code);
    // Keeps the focus in the input.
    item.addEventListener('pointerdown', (event) => event.preventDefault());
    item.addEventListener('click', () => choose(station));
    return item;
  };

  const suggest = () => {
    const text = input.value.trim();
    const searched = network();
    if (!text || !searched) {
      close();
      return;
    }
    stations = searched.find(text, MAX_SUGGESTIONS);
    list.replaceChildren(...stations.map(row));
    list.hidden = stations.length === 0;
    input.setAttribute('aria-expanded', String(stations.length > 0));
    activate(stations.length > 0 ? 0 : -1);
    announce(messages.count(stations.length));
  };

  input.addEventListener('input', suggest);
  input.addEventListener('focus', () => {
    if (input.value) suggest();
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    // While an input method converts kana, the keys belong to it.
    if (event.isComposing) return;
    const count = stations.length;
    if (event.key === 'Escape') {
      event.stopPropagation();
      if (list.hidden) input.value = '';
      close();
    } else if (list.hidden && event.key === 'ArrowDown') {
      suggest();
    } else if (!list.hidden && event.key === 'ArrowDown') {
      activate((active + 1) % count);
    } else if (!list.hidden && event.key === 'ArrowUp') {
      activate((active + count - 1) % count);
    } else if (event.key === 'Enter') {
      if (list.hidden) suggest();
      const station = stations[active];
      if (station) choose(station);
    } else {
      return;
    }
    event.preventDefault();
  });
}
