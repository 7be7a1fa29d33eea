// The search box: suggests stations and lines while the user types. They are selected by mouse, finger or keyboard.

import type { MapLine, MapStation, Network } from './network';

const MAX_SUGGESTIONS = 8;

/** How many of the suggestions may be lines. */
const MAX_LINES = 3;

export type SearchMessages = {
  formerly: (names: string) => string;
  count: (count: number) => string;
  /** How many stations a line has. */
  stations?: (count: number) => string;
};

export type SearchOptions = {
  /** The map to search, once it is loaded. */
  network: () => Network | undefined;
  onChoose: (station: MapStation) => void;
  /** Also suggests lines. */
  onLine?: (line: MapLine) => void;
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

type Suggestion = { station: MapStation } | { line: MapLine };

export function attachSearch(options: SearchOptions): void {
  const { network, onChoose, onLine, announce, messages, input, list } = options;
  let suggestions: Suggestion[] = [];
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
    input.setAttribute('aria-activedescendant', `${list.id}-${index}`);
    list.children[index]?.scrollIntoView({ block: 'nearest' });
  };

  const choose = (suggestion: Suggestion) => {
    input.value = 'station' in suggestion ? suggestion.station.name : suggestion.line.name;
    close();
    if ('station' in suggestion) onChoose(suggestion.station);
    else onLine?.(suggestion.line);
  };

  const row = (suggestion: Suggestion, index: number) => {
    const item = document.createElement('li');
    item.id = `${list.id}-${index}`;
    item.role = 'option';
    item.setAttribute('aria-selected', 'false');
    const text = document.createElement('span');
    const name = document.createElement('strong');
    const more = document.createElement('small');
    text.append(name, more);
    if ('station' in suggestion) {
      const { station } = suggestion;
      name.textContent = station.name;
      more.textContent = describe(station, messages);
      const code = document.createElement('code');
      code.textContent = String(station.code);
      item.append(swatch(station.lines), text, code);
    } else {
      const { line } = suggestion;
      name.textContent = line.name;
      more.textContent = [line.translation, messages.stations?.(line.stations.length)].filter(Boolean).join(' · ');
      item.append(swatch([line]), text);
    }
    // Keeps the focus in the input.
    item.addEventListener('pointerdown', (event) => event.preventDefault());
    item.addEventListener('click', () => choose(suggestion));
    return item;
  };

  const suggest = () => {
    const text = input.value.trim();
    const searched = network();
    if (!text || !searched) {
      close();
      return;
    }
    const lines = onLine ? searched.findLines(text, MAX_LINES) : [];
    const stations = searched.find(text, MAX_SUGGESTIONS - lines.length);
    suggestions = [...stations.map((station) => ({ station })), ...lines.map((line) => ({ line }))];
    const count = suggestions.length;
    list.replaceChildren(...suggestions.map(row));
    list.hidden = count === 0;
    input.setAttribute('aria-expanded', String(count > 0));
    activate(count > 0 ? 0 : -1);
    announce(messages.count(count));
  };

  input.addEventListener('input', suggest);
  input.addEventListener('focus', () => {
    if (input.value) suggest();
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    // While an input method converts kana, the keys belong to it.
    if (event.isComposing) return;
    const count = suggestions.length;
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
      const suggestion = suggestions[active];
      if (suggestion) choose(suggestion);
    } else {
      return;
    }
    event.preventDefault();
  });
}
