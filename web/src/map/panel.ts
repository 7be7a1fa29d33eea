// The panel of a station: its names, its lines, and the response of the API for it.

import { copyText } from '../shared/clipboard';
import { displayName } from '../shared/display-name';
import { stationCurl, type Datum } from './curl';
import { byId, inside } from './dom';
import { isJapanese, messages } from './messages';
import type { MapLine, MapStation, Network } from './network';

type Responses = Record<Datum, unknown>;
type Shown = { network: Network; station: MapStation; responses?: Responses };

export type PanelOptions = {
  /** The first segment of the API's paths. */
  service: string;
  onClose: () => void;
  onLine: (line: MapLine) => void;
  /** Tells screen readers something. */
  announce: (text: string) => void;
};

export class StationPanel {
  readonly element = byId('panel');
  readonly #options: PanelOptions;
  #datum: Datum = 'wgs84';
  #shown: Shown | undefined;

  constructor(options: PanelOptions) {
    this.#options = options;
    inside(this.element, '.close').addEventListener('click', options.onClose);
    for (const button of this.#datumButtons) {
      button.addEventListener('click', () => {
        this.#datum = button.dataset.gcs === 'tokyo' ? 'tokyo' : 'wgs84';
        this.#write();
      });
    }
    for (const button of this.element.querySelectorAll<HTMLElement>('[data-copies]')) {
      button.addEventListener('click', () => void this.#copy(button));
    }
  }

  /** Shows a station of a map. */
  async open(network: Network, station: MapStation): Promise<void> {
    const shown: Shown = { network, station };
    this.#shown = shown;
    byId('panel-name').textContent = station.name;
    byId('panel-yomi').textContent = station.yomi;
    byId('panel-translation').textContent = station.translation ?? '';
    byId('panel-formerly').textContent = station.formerly?.length ? messages.formerly(station.formerly.join('、')) : '';
    byId('panel-lines').replaceChildren(...station.lines.map((line) => this.#lineButton(line)));
    this.element.dataset.code = String(station.code);
    this.element.hidden = false;
    this.element.scrollTop = 0;
    this.#write();
    try {
      const response = await fetch(`/map/${network.id}/station/${station.code}.json`);
      if (!response.ok) throw new Error(String(response.status));
      shown.responses = (await response.json()) as Responses;
      if (this.#shown === shown) this.#write();
    } catch {
      if (this.#shown === shown) byId('panel-json').textContent = messages.responseFailed;
    }
  }

  close(): void {
    this.#shown = undefined;
    this.element.hidden = true;
  }

  get #datumButtons() {
    return this.element.querySelectorAll<HTMLElement>('[data-gcs]');
  }

  #lineButton(line: MapLine): HTMLElement {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const dot = document.createElement('i');
    dot.style.background = line.color;
    button.append(dot, displayName(line, isJapanese));
    button.addEventListener('click', () => this.#options.onLine(line));
    item.append(button);
    return item;
  }

  #write(): void {
    if (!this.#shown) return;
    const { network, station, responses } = this.#shown;
    const { service } = this.#options;
    byId('panel-curl').textContent = stationCurl(location.origin, service, network.id, station.code, this.#datum);
    byId('panel-json').textContent = responses ? JSON.stringify(responses[this.#datum], undefined, 2) : '…';
    for (const button of this.#datumButtons) {
      button.setAttribute('aria-pressed', String(button.dataset.gcs === this.#datum));
    }
  }

  async #copy(button: HTMLElement): Promise<void> {
    if (!(await copyText(byId(button.dataset.copies ?? '').textContent))) return;
    button.textContent = messages.copied;
    this.#options.announce(messages.copied);
    setTimeout(() => (button.textContent = messages.copy), 1500);
  }
}
