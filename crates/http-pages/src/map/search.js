// The search box: suggestions as one types, chosen by mouse, finger or keys.

import { words as ownWords } from "./words.js";

const MOST = 8;

/// A small bar of the colours of a station's lines.
export function swatch(lines) {
  const bar = document.createElement("span");
  bar.className = "swatch";
  bar.setAttribute("aria-hidden", "true");
  for (const { color } of lines.slice(0, 6)) {
    const piece = document.createElement("i");
    piece.style.background = color;
    bar.append(piece);
  }
  return bar;
}

/// Ties the box to a map; `network` gives the one in force, `chosen` is told the station. Another page than that of the
/// map has a box, a list and words of its own.
export function search({
  network, chosen, said, words = ownWords,
  input = document.getElementById("find"), list = document.getElementById("found"),
}) {
  let stations = [];
  let active = -1;

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const mark = (at) => {
    active = at;
    [...list.children].forEach((row, other) => row.setAttribute("aria-selected", String(other === at)));
    if (at < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", `found-${at}`);
    list.children[at].scrollIntoView({ block: "nearest" });
  };

  const choose = (station) => {
    input.value = station.name;
    close();
    chosen(station);
  };

  const row = (station, at) => {
    const item = document.createElement("li");
    item.id = `found-${at}`;
    item.role = "option";
    item.setAttribute("aria-selected", "false");
    const text = document.createElement("span");
    const name = document.createElement("strong");
    name.textContent = station.name;
    const more = document.createElement("small");
    const former = station.formerly?.length ? words.formerly(station.formerly.join("、")) : "";
    more.textContent = [station.yomi, station.translation, former].filter(Boolean).join(" · ");
    text.append(name, more);
    const code = document.createElement("code");
    code.textContent = station.code;
    item.append(swatch(station.lines), text, code);
    // The box keeps the focus.
    item.addEventListener("pointerdown", (event) => event.preventDefault());
    item.addEventListener("click", () => choose(station));
    return item;
  };

  const show = () => {
    const text = input.value.trim();
    if (!text || !network()) return close();
    stations = network().find(text, MOST);
    list.replaceChildren(...stations.map(row));
    list.hidden = stations.length === 0;
    input.setAttribute("aria-expanded", String(stations.length > 0));
    mark(stations.length > 0 ? 0 : -1);
    said(words.count(stations.length));
  };

  input.addEventListener("input", show);
  input.addEventListener("focus", () => input.value && show());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    // While kana is being turned into kanji the keys belong to that.
    if (event.isComposing) return;
    const count = stations.length;
    if (event.key === "Escape") {
      event.stopPropagation();
      if (list.hidden) input.value = "";
      close();
    } else if (list.hidden && event.key === "ArrowDown") {
      show();
    } else if (!list.hidden && event.key === "ArrowDown") {
      mark((active + 1) % count);
    } else if (!list.hidden && event.key === "ArrowUp") {
      mark((active + count - 1) % count);
    } else if (event.key === "Enter") {
      if (list.hidden) show();
      if (stations[active]) choose(stations[active]);
    } else {
      return;
    }
    event.preventDefault();
  });
}
