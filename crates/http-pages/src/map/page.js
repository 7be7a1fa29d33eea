// The page of a map: puts its parts together, and keeps the address bar true.

import { handle } from "./hands.js";
import { load } from "./network.js";
import { Panel } from "./panel.js";
import { search } from "./search.js";
import { View } from "./view.js";
import { isJapanese, translate, words } from "./words.js";

const { map: id, service } = document.documentElement.dataset;
const by = (name) => document.getElementById(name);
const narrow = matchMedia("(max-width: 719px)");
let network;

translate();

const said = (text) => (by("said").textContent = text);
const trouble = (text) => {
  by("trouble").textContent = text ?? "";
  by("trouble").hidden = !text;
};

// The address: #station=…&at=x,y,scale

let written = "";
let waiting;

const read = () => {
  const fields = new URLSearchParams(location.hash.slice(1));
  const at = (fields.get("at") ?? "").split(",").map(Number);
  return { station: fields.get("station"), at: at.length === 3 && at.every(Number.isFinite) ? at : undefined };
};

const write = () => {
  const { x, y, scale } = view.camera;
  const station = view.station ? `station=${view.station.code}&` : "";
  written = `#${station}at=${Math.round(x)},${Math.round(y)},${Number(scale.toPrecision(3))}`;
  if (written !== location.hash) history.replaceState(undefined, "", written);
};

// Browsers allow only so many changes of the address in a while.
const moved = () => {
  clearTimeout(waiting);
  waiting = setTimeout(write, 250);
};

// The parts

const pause = (time) => new Promise((done) => setTimeout(done, time));
let reloading = false;
let patience = 500;

/// The server has another version of the map: its data is fetched anew, the place stays.
const stale = async () => {
  if (reloading) return;
  reloading = true;
  await pause(patience);
  const before = network.tag;
  await open(false);
  // Of several servers some may have the old map for a while.
  patience = network.tag === before ? Math.min(patience * 2, 30000) : 500;
  reloading = false;
};

const view = new View(by("map"), {
  moved, stale, troubled: (isSo) => trouble(isSo ? words.slow : undefined),
});

const panel = new Panel({ service, said, closed: () => select(undefined), lineChosen: (line) => highlight(line) });

/// Tells the view which part of it is covered.
const measure = () => {
  const covered = panel.element.hidden ? undefined : panel.element.getBoundingClientRect();
  const lines = by("lines").hidden || narrow.matches ? 0 : by("lines").getBoundingClientRect().right;
  view.insets = narrow.matches
    ? { left: 0, right: 0, top: 70, bottom: covered ? innerHeight - covered.top : 0 }
    : { left: lines, right: covered ? innerWidth - covered.left : 0, top: 0, bottom: 0 };
};

/// Chooses a station, or none.
const select = (station, flies = true) => {
  view.station = station;
  if (station) {
    panel.open(network, station);
    measure();
    document.title = `${station.name} – ${network.name}`;
    if (flies) view.fly(station.x, station.y, Math.max(view.camera.scale, 1));
    said(words.shown(station.name));
  } else {
    const hadFocus = panel.element.contains(document.activeElement);
    panel.close();
    measure();
    document.title = `${network.name} – Kaisatsu`;
    if (hadFocus) by("map").focus();
  }
  view.draw();
};

/// Highlights a line, or none when it is already.
const highlight = (line, flies = false) => {
  view.line = view.line === line ? undefined : line;
  for (const button of by("lines").querySelectorAll("li button")) {
    button.setAttribute("aria-pressed", String(view.line?.code === Number(button.dataset.code)));
  }
  if (view.line && narrow.matches) toggleLines(false);
  if (view.line && flies) {
    const boxes = line.stations.flatMap((station) => station.boxes);
    const [left, top] = [0, 1].map((at) => Math.min(...boxes.map((box) => box[at])));
    const [right, bottom] = [0, 1].map((at) => Math.max(...boxes.map((box) => box[at] + box[at + 2])));
    view.frameOf(left - 40, top - 40, right + 40, bottom + 40);
  }
  view.draw();
};

const toggleLines = (isOpen) => {
  by("lines").hidden = !isOpen;
  by("lines-button").setAttribute("aria-expanded", String(isOpen));
  measure();
};

const listLines = () => {
  const rows = network.lines.map((line) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.dataset.code = line.code;
    button.setAttribute("aria-pressed", "false");
    const color = document.createElement("i");
    color.style.background = line.color;
    const name = document.createElement("span");
    name.textContent = (!isJapanese && line.translation) || line.name;
    const count = document.createElement("small");
    count.textContent = words.stations(line.stations.length);
    button.append(color, name, count);
    button.addEventListener("click", () => highlight(line, true));
    item.append(button);
    return item;
  });
  by("lines").querySelector("ul").replaceChildren(...rows);
  by("lines-button").hidden = rows.length === 0;
};

// Light and dark

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

// A browser that keeps nothing for anybody throws here; then the choice lasts as long as the page.
const remembered = (act) => {
  try {
    return act(localStorage) ?? undefined;
  } catch {
    return undefined;
  }
};
let chosenStyle = remembered((kept) => kept.getItem("kaisatsu-style"));

const dress = () => {
  const style = chosenStyle ?? (prefersDark.matches ? "dark" : "light");
  document.documentElement.dataset.style = style;
  by("style").setAttribute("aria-pressed", String(style === "dark"));
  view.style = style;
  view.draw();
};
prefersDark.addEventListener("change", dress);
by("style").addEventListener("click", () => {
  chosenStyle = view.style === "dark" ? "light" : "dark";
  remembered((kept) => kept.setItem("kaisatsu-style", chosenStyle));
  dress();
});

// What is pressed

const near = ({ x, y }, reach) => {
  const at = view.toMap(x, y);
  return network?.at(at.x, at.y, reach / view.camera.scale);
};

handle(view, {
  tapped: (place, reach) => {
    const station = near(place, reach);
    if (station) select(station, isCovered(station));
    else if (view.station) select(undefined);
  },
  over: (place) => by("map").classList.toggle("over", near(place, 3) !== undefined),
});

/// Whether the panel would cover a station once it is open.
const isCovered = (station) => {
  const { x, y } = view.toScreen(station.x, station.y);
  return narrow.matches ? y > innerHeight * 0.4 : x > innerWidth - 440;
};

by("closer").addEventListener("click", () => view.glide(1.6));
by("farther").addEventListener("click", () => view.glide(1 / 1.6));
by("whole").addEventListener("click", () => view.fit());
by("lines-button").addEventListener("click", () => toggleLines(by("lines").hidden));
by("lines").querySelector(".close").addEventListener("click", () => {
  toggleLines(false);
  by("lines-button").focus();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (view.station) select(undefined);
    else if (view.line) highlight(view.line);
    else toggleLines(false);
  } else if (event.key === "/" && !event.target.closest("input, pre")) {
    event.preventDefault();
    by("find").focus();
    by("find").select();
  }
});
addEventListener("resize", () => {
  measure();
  view.resize();
});
search({ network: () => network, chosen: (station) => select(station), said });

// Opening

/// Where the map is looked at first: where the address says, at its station, or at the middle of the map.
const begin = () => {
  const { station: code, at } = read();
  const station = code ? network.byCode.get(code) : undefined;
  const centre = station ?? network.stations[network.centre];
  const scale = station ? 1 : Math.max(Math.min(view.fitting, 1.5), narrow.matches ? 0.75 : 1);
  if (code && !station) {
    trouble(words.unknown);
    setTimeout(trouble, 6000);
  }
  if (station) select(station, false);
  else if (view.station) select(undefined);
  if (at) view.place({ x: at[0], y: at[1], scale: at[2] });
  else {
    const { middle } = view;
    view.place({
      x: centre.x + (view.width / 2 - middle.x) / scale, y: centre.y + (view.height / 2 - middle.y) / scale, scale,
    });
  }
  view.draw();
};

addEventListener("hashchange", () => {
  if (network && location.hash !== written) begin();
});

/// Loads the map; the first time it is also placed.
async function open(isFirst) {
  for (let wait = 1000; ; wait = Math.min(wait * 2, 30000)) {
    try {
      const loaded = await load(id);
      if (!loaded) return trouble(words.gone);
      network = loaded;
      break;
    } catch {
      trouble(words.trouble);
      await pause(wait);
    }
  }
  trouble();
  const station = view.station && network.byCode.get(String(view.station.code));
  const line = view.line && network.lines.find(({ code }) => code === view.line.code);
  view.open(network);
  listLines();
  by("credits").textContent = by("credits").title = [network.edition, network.credits].filter(Boolean).join(" · ");
  by("credits").hidden = !by("credits").textContent;
  view.line = line;
  if (isFirst) begin();
  else if (view.station) select(station, false);
  view.draw();
}

dress();
open(true);
