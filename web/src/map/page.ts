// The page of a map: connects the view with the search, the panels and the address bar.

import { readStored, writeStored } from '../shared/storage';
import { readAddress, writeAddress } from './address';
import { centredOn, type Bounds } from './camera';
import { attachCopyButtons } from './copy-buttons';
import { byId } from './dom';
import { attachEmbed } from './embed';
import { attachGestures } from './gestures';
import { attachLanguages } from './language-choice';
import { LineList } from './line-list';
import { attachLocate } from './locate';
import { isJapanese, messages, translateDocument } from './messages';
import { load, type Language, type MapLine, type MapStation, type Network } from './network';
import './page.css';
import { StationPanel } from './panel';
import { RouteCard } from './route-card';
import { attachSearch } from './search-box';
import { MapView } from './view';

const { map: id = '', service = '', language: asked = 'ja' } = document.documentElement.dataset;
const canvas = byId<HTMLCanvasElement>('map');
const searchInput = byId<HTMLInputElement>('find');
const narrow = matchMedia('(max-width: 719px)');
let network: Network | undefined;
let language = asked as Language;

translateDocument();

const announce = (text: string) => {
  byId('announcements').textContent = text;
};
let problemTimer: number | undefined;
const showProblem = (text = '') => {
  clearTimeout(problemTimer);
  byId('problem').textContent = text;
  byId('problem').hidden = !text;
};

// The address bar

let ownHash = location.hash;
let hashTimer: number | undefined;

/** Writes what is shown into the address. With `adds`, Back leads to what was shown before. */
const updateAddress = (adds = false) => {
  clearTimeout(hashTimer);
  // Back or Forward has just been pressed: what is shown now belongs to another entry of the history.
  if (!adds && location.hash !== ownHash) return;
  const { station, line } = view;
  const { from, to, chosen } = route;
  const hash = writeAddress(view.camera, { station, line, ...(view.way ? { from, to, way: chosen } : {}) });
  if (hash !== location.hash) history[adds ? 'pushState' : 'replaceState'](undefined, '', hash);
  ownHash = hash;
};

/** Runs a change of what is shown that a person made, and adds it to the history. */
const visit = (change: () => void) => {
  updateAddress();
  change();
  updateAddress(true);
};

/** A problem that needs no action: it disappears. */
const mention = (text: string) => {
  showProblem(text);
  problemTimer = window.setTimeout(showProblem, 6000);
};

// Browsers limit how often a page may change its address.
const scheduleAddress = () => {
  clearTimeout(hashTimer);
  hashTimer = window.setTimeout(() => updateAddress(), 250);
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
  onClose: () => visit(() => select(undefined)),
  onLine: (line) => visit(() => highlight(line)),
  onStation: (station) => visit(() => select(station)),
  onEnd: (end, station) => {
    if (narrow.matches) select(undefined);
    route.toggle(true);
    route.set(end, station);
  },
});
const chooseLine = (line: MapLine) =>
  visit(() => {
    highlight(line);
    if (view.line) view.fitBounds(boundsOf(line.stations));
  });
const lines = new LineList({
  onToggle: () => {
    if (!lines.element.hidden) route.toggle(false);
    measure();
  },
  onChoose: chooseLine,
});
let isRestoring = false;
const route = new RouteCard({
  network: () => network,
  announce,
  onToggle: () => {
    if (!route.element.hidden) lines.toggle(false);
    measure();
  },
  onWay: (way) => {
    if (way === view.way) return;
    view.way = way;
    if (way && !isRestoring) view.fitBounds(boundsOf(way.stations));
    view.draw();
    if (!isRestoring) updateAddress(true);
  },
});

/** Tells the view which part of it the panels cover. */
const measure = () => {
  const covered = panel.element.hidden ? undefined : panel.element.getBoundingClientRect();
  const opened = [lines.element, route.element].find((element) => !element.hidden);
  const left = !opened || narrow.matches ? 0 : opened.getBoundingClientRect().right;
  view.insets = narrow.matches
    ? { left: 0, right: 0, top: 70, bottom: covered ? innerHeight - covered.top : 0 }
    : { left, right: covered ? innerWidth - covered.left : 0, top: 0, bottom: 0 };
};

/** What a station is called on the map. */
const stationName = (station: MapStation) => (network?.language === 'en' && station.translation) || station.name;

/** Selects a station, or none. */
const select = (station: MapStation | undefined, flies = true) => {
  if (!network) return;
  view.station = station;
  if (station) {
    void panel.open(network, station);
    measure();
    document.title = `${stationName(station)} – ${network.name}`;
    if (flies) view.flyTo(station.x, station.y, Math.max(view.camera.scale, 1));
    announce(messages.shown(stationName(station)));
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

/** What stations occupy on the map, with a margin. */
const boundsOf = (stations: MapStation[]): Bounds => {
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
    if (station) visit(() => select(station, wouldBeCovered(station)));
    else if (view.station) visit(() => select(undefined));
  },
  onHover: (at) => canvas.classList.toggle('over', stationNear(at, 3) !== undefined),
});

byId('zoom-in').addEventListener('click', () => view.easeZoomBy(1.6));
byId('zoom-out').addEventListener('click', () => view.easeZoomBy(1 / 1.6));
byId('whole').addEventListener('click', () => view.fit());
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    const { line } = view;
    if (view.station) visit(() => select(undefined));
    else if (view.way) route.clear();
    else if (line) visit(() => highlight(line));
    else {
      lines.toggle(false);
      route.toggle(false);
    }
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
  onChoose: (station) => visit(() => select(station)),
  onLine: (line) => {
    if (view.line !== line) chooseLine(line);
  },
  announce,
  messages,
  input: searchInput,
  list: byId('found'),
});
attachCopyButtons(announce);
attachEmbed(() => network?.name ?? '');
attachLocate({
  nearest: (latitude, longitude) => network?.nearest(latitude, longitude),
  onFound: (station) => visit(() => select(station)),
  onProblem: mention,
});
const languages = attachLanguages(async (chosen) => {
  // The same station stays where it is on the screen, although it is elsewhere on the other layout.
  const anchor = network?.stationAt(view.camera.x, view.camera.y, Infinity);
  const before = anchor && { dx: view.camera.x - anchor.x, dy: view.camera.y - anchor.y, code: anchor.code };
  const { from, to, chosen: way } = route;
  language = chosen;
  const query = chosen === 'ja' ? '' : `?language=${chosen}`;
  history.replaceState(undefined, '', `${location.pathname}${query}${location.hash}`);
  view.way = undefined;
  await open(false);
  const after = before && network?.byCode.get(String(before.code));
  if (before && after) view.jumpTo({ x: after.x + before.dx, y: after.y + before.dy, scale: view.camera.scale });
  restoreRoute(from?.code, to?.code, way);
  updateAddress();
  view.draw();
});

// Opening a map

/** Moves the camera to where the address says, to its station, or to the station that the map shows first. */
const showAddress = (shown: Network) => {
  ownHash = location.hash;
  const { station: code, line: lineCode, from, to, way, camera } = readAddress(location.hash);
  const station = code ? shown.byCode.get(code) : undefined;
  if (code && !station) mention(messages.unknownStation);
  view.line = shown.lines.find((line) => String(line.code) === lineCode);
  lines.mark(view.line);
  if (from && to) restoreRoute(Number(from), Number(to), way);
  else if (view.way) restoreRoute(undefined, undefined, 0);
  if (station) select(station, false);
  else if (view.station) select(undefined);
  const target = station ?? shown.stations[shown.centre] ?? { x: shown.width / 2, y: shown.height / 2 };
  const scale = station ? 1 : Math.max(Math.min(view.fitScale, 1.5), narrow.matches ? 0.75 : 1);
  view.jumpTo(camera ?? centredOn(target, scale, view, view.insets));
  view.draw();
};

/** Shows a way that is in the address, or none. It adds nothing to the history. */
const restoreRoute = (from: number | undefined, to: number | undefined, way: number) => {
  const find = (code: number | undefined) => network?.byCode.get(String(code));
  isRestoring = true;
  void route.show(find(from), find(to), way).finally(() => {
    isRestoring = false;
    updateAddress();
  });
};

addEventListener('hashchange', () => {
  if (network && location.hash !== ownHash) showAddress(network);
});

/** Loads the map, again and again until the server answers. Only the first time the camera is moved. */
async function open(isFirst: boolean): Promise<void> {
  for (let delay = 1000; ; delay = Math.min(delay * 2, 30_000)) {
    try {
      const loaded = await load(id, language);
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
  languages.fill(network.languages, network.language);
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
