// The card with the boxes for a journey: from, to, and the ways that were found.

import { byId, inside } from './dom';
import { messages } from './messages';
import type { MapStation, Network } from './network';
import { attachSearch } from './search-box';
import { findWays, type Way } from './way';

export type RouteOptions = {
  network: () => Network | undefined;
  /** A way is highlighted, or none. */
  onWay: (way: Way | undefined) => void;
  onToggle: () => void;
  announce: (text: string) => void;
};

type End = 'from' | 'to';

export class RouteCard {
  readonly element = byId('route');
  from: MapStation | undefined;
  to: MapStation | undefined;
  /** Which of the ways is shown. */
  chosen = 0;
  #ways: Way[] = [];
  #request = 0;
  readonly #button = byId('route-button');
  readonly #options: RouteOptions;

  constructor(options: RouteOptions) {
    this.#options = options;
    this.#button.addEventListener('click', () => this.toggle(this.element.hidden));
    inside(this.element, '.close').addEventListener('click', () => {
      this.clear();
      this.toggle(false);
      this.#button.focus();
    });
    byId('route-swap').addEventListener('click', () => void this.show(this.to, this.from));
    for (const end of ['from', 'to'] as const) {
      const { network, announce } = options;
      const input = this.#input(end);
      attachSearch({
        network,
        announce,
        messages,
        input,
        list: byId(`${end}-found`),
        onChoose: (s) => this.set(end, s),
      });
    }
  }

  toggle(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    this.#button.setAttribute('aria-expanded', String(isOpen));
    this.#options.onToggle();
    if (isOpen && !this.from) this.#input('from').focus();
  }

  /** Sets one end of the journey, and searches when both are known. */
  set(end: End, station: MapStation): void {
    void (end === 'from' ? this.show(station, this.to) : this.show(this.from, station));
  }

  /** Forgets the journey. */
  clear(): void {
    void this.show(undefined, undefined);
  }

  /** Shows the ways between two stations, of which one may be unknown still. */
  async show(from: MapStation | undefined, to: MapStation | undefined, chosen = 0): Promise<void> {
    const network = this.#options.network();
    const request = (this.#request += 1);
    this.from = from;
    this.to = to;
    this.#input('from').value = from?.name ?? '';
    this.#input('to').value = to?.name ?? '';
    this.#ways = [];
    this.#list('');
    if (from && to && network) {
      if (this.element.hidden) this.toggle(true);
      try {
        const ways = await findWays(network, from, to);
        if (request !== this.#request) return;
        this.#ways = ways;
        this.#list(ways.length === 0 ? messages.noWay : '');
      } catch {
        if (request === this.#request) this.#list(messages.responseFailed);
      }
    }
    this.#choose(Math.min(chosen, Math.max(this.#ways.length - 1, 0)));
  }

  #input(end: End): HTMLInputElement {
    return byId<HTMLInputElement>(`${end}-input`);
  }

  #choose(index: number): void {
    this.chosen = index;
    [...byId('ways').children].forEach((row, at) => {
      row.firstElementChild?.setAttribute('aria-pressed', String(at === index));
    });
    const way = this.#ways[index];
    if (way) this.#options.announce(messages.way(way.minutes, way.changes));
    this.#options.onWay(way);
  }

  #list(problem: string): void {
    byId('route-problem').textContent = problem;
    byId('ways').replaceChildren(...this.#ways.map((way, index) => this.#row(way, index)));
  }

  #row(way: Way, index: number): HTMLElement {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const title = document.createElement('strong');
    title.textContent = messages.way(way.minutes, way.changes);
    button.append(title);
    for (const line of way.lines) {
      const row = document.createElement('span');
      const color = document.createElement('i');
      if (line.isWalk) color.className = 'walk';
      else color.style.background = line.color;
      row.append(color, messages.ride(line.name, line.to, line.minutes));
      button.append(row);
    }
    button.addEventListener('click', () => this.#choose(index));
    item.append(button);
    return item;
  }
}
