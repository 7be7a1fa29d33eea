// The page of a map: connects the view with the search, the panels and the address bar.

import { readStored, writeStored } from '../shared/storage';
import { readAddress, writeAddress } from './address';
import { centredOn, type Bounds } from './camera';
import { byId } from './dom';
import { attachGestures } from './gestures';
import { LineList } from './line-list';
import { isJapanese, messages, translateDocument } from './messages';
import { load, type MapLine, type MapStation, type Network } from './network';
import './page.css';
import { StationPanel } from './panel';
import { attachSearch } from './search-box';
import { MapView } from './view';

const { map: id = '', service = '' } = document.documentElement.dataset;
const canvas = byId<HTMLCanvasElement>('map');
const searchInput = byId<HTMLInputElement>('find');
const narrow = matchMedia('(max-width: 719px)');
let network: Network | undefined;

translateDocument();

const announce = (text: string) => {
  byId('announcements').textContent = text;
};
const showProblem = (text = '') => {
  byId('problem').textContent = text;
  byId('problem').hidden = !text;
};

// The address bar

let ownHash = '';
let hashTimer: number | undefined;

const updateAddress = () => {
  ownHash = writeAddress(view.camera, view.station);
  if (ownHash !== location.hash) history.replaceState(undefined, '', ownHash);
};

// Browsers limit how often a page may change its address.
const scheduleAddress = () => {
  clearTimeout(hashTimer);
  hashTimer = window.setTimeout(updateAddress, 250);
};

// The parts of the page

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const MIN_RELOAD_DELAY = 500;
let isReloading = false;
let reloadDelay = MIN_RELOAD_DELAY;

/** Fetches the data again when the server has another version of the map. The camera stays. */
const reload = async () => {
  if (isReloading) return;
  isReloading = true;
  await pause(reloadDelay);
  const before = network?.tag;
  await open(false);
  // Behind a load balancer some servers may have the old map for a while.
  reloadDelay = network?.tag === before ? Math.min(reloadDelay * 2, 30_000) : MIN_RELOAD_DELAY;
  isReloading = false;
};

const view = new MapView(canvas, {
  onRest: scheduleAddress,
  onStale: () => void reload(),
  onFailing: (isFailing) => showProblem(isFailing ? messages.tilesFailing : undefined),
});
view.inJapanese = isJapanese;

const panel = new StationPanel({
  service,
  announce,
  onClose: () => select(undefined),
  onLine: (line) => highlight(line),
});
const lines = new LineList({
  onToggle: () => measure(),
  onChoose: (line) => {
    highlight(line);
    if (view.line) view.fitBounds(lineBounds(line));
  },
});

/** Tells the view which part of it the panels cover. */
const measure = () => {
  const covered = panel.element.hidden ? undefined : panel.element.getBoundingClientRect();
  const left = lines.element.hidden || narrow.matches ? 0 : lines.element.getBoundingClientRect().right;
  view.insets = narrow.matches
    ? { left: 0, right: 0, top: 70, bottom: covered ? innerHeight - covered.top : 0 }
    : { left, right: covered ? innerWidth - covered.left : 0, top: 0, bottom: 0 };
};

/** Selects a station, or none. */
const select = (station: MapStation | undefined, flies = true) => {
  if (!network) return;
  view.station = station;
  if (station) {
    void panel.open(network, station);
    measure();
    document.title = `${station.name} – ${network.name}`;
    if (flies) view.flyTo(station.x, station.y, Math.max(view.camera.scale, 1));
    announce(messages.shown(station.name));
  } else {
    const hadFocus = panel.element.contains(document.activeElement);
    panel.close();
    measure();
    document.title = `${network.name} – Kaisatsu`;
    if (hadFocus) canvas.focus();
  }
  view.draw();
};

/** Highlights a line, or none if it is highlighted already. */
const highlight = (line: MapLine) => {
  view.line = view.line === line ? undefined : line;
  lines.mark(view.line);
  if (view.line && narrow.matches) lines.toggle(false);
  view.draw();
};

/** What the stations of a line occupy on the map, with a margin. */
const lineBounds = ({ stations }: MapLine): Bounds => {
  const boxes = stations.flatMap((station) => station.boxes);
  return {
    left: Math.min(...boxes.map(([x]) => x)) - 40,
    top: Math.min(...boxes.map(([, y]) => y)) - 40,
    right: Math.max(...boxes.map(([x, , width]) => x + width)) + 40,
    bottom: Math.max(...boxes.map(([, y, , height]) => y + height)) + 40,
  };
};

// Light and dark

const STYLE_KEY = 'kaisatsu-style';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
let chosenStyle = readStored(STYLE_KEY);

const applyStyle = () => {
  view.style = (chosenStyle ?? (prefersDark.matches ? 'dark' : 'light')) === 'dark' ? 'dark' : 'light';
  document.documentElement.dataset.style = view.style;
  byId('style').setAttribute('aria-pressed', String(view.style === 'dark'));
  view.draw();
};
prefersDark.addEventListener('change', applyStyle);
byId('style').addEventListener('click', () => {
  chosenStyle = view.style === 'dark' ? 'light' : 'dark';
  writeStored(STYLE_KEY, chosenStyle);
  applyStyle();
});

// Mouse, fingers and keyboard

const stationNear = (at: { x: number; y: number }, reach: number) => {
  const { x, y } = view.toMap(at.x, at.y);
  return network?.stationAt(x, y, reach / view.camera.scale);
};

/** Whether the panel would cover a station once it is open. */
const wouldBeCovered = (station: MapStation) => {
  const { x, y } = view.toScreen(station.x, station.y);
  return narrow.matches ? y > innerHeight * 0.4 : x > innerWidth - 440;
};

attachGestures(view, {
  onTap: (at, reach) => {
    const station = stationNear(at, reach);
    if (station) select(station, wouldBeCovered(station));
    else if (view.station) select(undefined);
  },
  onHover: (at) => canvas.classList.toggle('over', stationNear(at, 3) !== undefined),
});

byId('zoom-in').addEventListener('click', () => view.easeZoomBy(1.6));
byId('zoom-out').addEventListener('click', () => view.easeZoomBy(1 / 1.6));
byId('whole').addEventListener('click', () => view.fit());
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    if (view.station) select(undefined);
    else if (view.line) highlight(view.line);
    else lines.toggle(false);
  } else if (event.key === '/' && !(event.target instanceof Element && event.target.closest('input, pre'))) {
    event.preventDefault();
    searchInput.focus();
    searchInput.select();
  }
});
addEventListener('resize', () => {
  measure();
  view.resize();
});
attachSearch({
  network: () => network,
  onChoose: (station) => select(station),
  announce,
  messages,
  input: searchInput,
  list: byId('found'),
});

// Opening a map

/** Moves the camera to where the address says, to its station, or to the station that the map shows first. */
const showAddress = (shown: Network) => {
  const { station: code, camera } = readAddress(location.hash);
  const station = code ? shown.byCode.get(code) : undefined;
  if (code && !station) {
    showProblem(messages.unknownStation);
    setTimeout(showProblem, 6000);
  }
  if (station) select(station, false);
  else if (view.station) select(undefined);
  const target = station ?? shown.stations[shown.centre] ?? { x: shown.width / 2, y: shown.height / 2 };
  const scale = station ? 1 : Math.max(Math.min(view.fitScale, 1.5), narrow.matches ? 0.75 : 1);
  view.jumpTo(camera ?? centredOn(target, scale, view, view.insets));
  view.draw();
};

addEventListener('hashchange', () => {
  if (network && location.hash !== ownHash) showAddress(network);
});

/** Loads the map, again and again until the server answers. Only the first time the camera is moved. */
async function open(isFirst: boolean): Promise<void> {
  for (let delay = 1000; ; delay = Math.min(delay * 2, 30_000)) {
    try {
      const loaded = await load(id);
      if (!loaded) {
        showProblem(messages.gone);
        return;
      }
      network = loaded;
      break;
    } catch {
      showProblem(messages.loadFailed);
      await pause(delay);
    }
  }
  showProblem();
  const station = view.station && network.byCode.get(String(view.station.code));
  const line = network.lines.find(({ code }) => code === view.line?.code);
  view.open(network);
  lines.fill(network.lines);
  const credits = [network.edition, network.credits].filter(Boolean).join(' · ');
  byId('credits').textContent = byId('credits').title = credits;
  byId('credits').hidden = !credits;
  view.line = line;
  lines.mark(line);
  if (isFirst) showAddress(network);
  else if (view.station) select(station, false);
  view.draw();
}

applyStyle();
void open(true);
