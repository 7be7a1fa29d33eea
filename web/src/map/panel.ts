// The panel of a station: its names, its lines with the next stations, and the response of the API for it.

import { displayName } from '../shared/display-name';
import { stationCurl, type Datum } from './curl';
import { byId, inside } from './dom';
import { isJapanese, messages } from './messages';
import { languageQuery, type MapLine, type MapStation, type Network } from './network';

type Responses = Record<Datum, unknown>;
type Shown = { network: Network; station: MapStation; responses?: Responses };

export type PanelOptions = {
  /** The first segment of the API's paths. */
  service: string;
  onClose: () => void;
  onLine: (line: MapLine) => void;
  onStation: (station: MapStation) => void;
  /** The station becomes an end of a journey. */
  onEnd: (end: 'from' | 'to', station: MapStation) => void;
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
    for (const end of ['from', 'to'] as const) {
      byId(`panel-${end}`).addEventListener('click', () => {
        if (this.#shown) options.onEnd(end, this.#shown.station);
      });
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
    byId('panel-lines').replaceChildren(...station.lines.map((line) => this.#lineRow(network, station, line)));
    this.element.dataset.code = String(station.code);
    this.element.hidden = false;
    this.element.scrollTop = 0;
    this.#write();
    try {
      const response = await fetch(`/map/${network.id}/station/${station.code}.json${languageQuery(network.language)}`);
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

  #lineRow(network: Network, station: MapStation, line: MapLine): HTMLElement {
    const item = document.createElement('li');
    const button = document.createElement('button');
    const dot = document.createElement('i');
    dot.style.background = line.color;
    button.append(dot, displayName(line, isJapanese));
    button.addEventListener('click', () => this.#options.onLine(line));
    const beside = document.createElement('span');
    beside.setAttribute('aria-label', messages.neighbours);
    for (const other of network.neighbours(station, line)) {
      const next = document.createElement('button');
      next.textContent = displayName(other, network.language === 'en' ? false : isJapanese);
      next.addEventListener('click', () => this.#options.onStation(other));
      beside.append(next);
    }
    item.append(button, beside);
    return item;
  }

  #write(): void {
    if (!this.#shown) return;
    const { network, station, responses } = this.#shown;
    const { service } = this.#options;
    byId('panel-curl').textContent = stationCurl(
      location.origin,
      service,
      network.id,
      station.code,
      this.#datum,
      network.language,
    );
    byId('panel-json').textContent = responses ? JSON.stringify(responses[this.#datum], undefined, 2) : '…';
    for (const button of this.#datumButtons) {
      button.setAttribute('aria-pressed', String(button.dataset.gcs === this.#datum));
    }
  }
}
