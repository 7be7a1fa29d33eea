// The panel of a station: its names, its lines, and what the API answers for it.

import { isJapanese, words } from "./words.js";

const by = (id) => document.getElementById(id);

export class Panel {
  constructor({ service, closed, lineChosen, said }) {
    Object.assign(this, { service, lineChosen, said });
    this.element = by("panel");
    this.gcs = "wgs84";
    this.element.querySelector(".close").addEventListener("click", closed);
    for (const button of this.element.querySelectorAll("[data-gcs]")) {
      button.addEventListener("click", () => {
        this.gcs = button.dataset.gcs;
        this.write();
      });
    }
    for (const button of this.element.querySelectorAll("[data-copies]")) {
      button.addEventListener("click", () => this.copy(button));
    }
  }

  /// Shows a station of a map.
  async open(network, station) {
    this.station = station;
    this.network = network;
    this.answers = undefined;
    by("panel-name").textContent = station.name;
    by("panel-yomi").textContent = station.yomi;
    by("panel-translation").textContent = station.translation ?? "";
    by("panel-formerly").textContent = station.formerly?.length ? words.formerly(station.formerly.join("、")) : "";
    by("panel-lines").replaceChildren(...station.lines.map((line) => this.chip(line)));
    this.element.dataset.code = station.code;
    this.element.hidden = false;
    this.element.scrollTop = 0;
    this.write();
    try {
      const answer = await fetch(`/map/${network.id}/station/${station.code}.json`);
      if (!answer.ok) throw new Error(String(answer.status));
      const answers = await answer.json();
      if (this.station !== station) return;
      this.answers = answers;
      this.write();
    } catch {
      if (this.station === station) by("panel-json").textContent = words.slow;
    }
  }

  close() {
    this.station = undefined;
    this.element.hidden = true;
  }

  chip(line) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const dot = document.createElement("i");
    dot.style.background = line.color;
    button.append(dot, (!isJapanese && line.translation) || line.name);
    button.addEventListener("click", () => this.lineChosen(line));
    item.append(button);
    return item;
  }

  write() {
    const { code } = this.station;
    const query = `APIKEY=$APIKEY&id=${this.network.id}&stationCode=${code}&gcs=${this.gcs}`;
    by("panel-curl").textContent = `curl "${location.origin}/${this.service}/v1/railmapDetail?${query}"`;
    by("panel-json").textContent = this.answers ? JSON.stringify(this.answers[this.gcs], undefined, 2) : "…";
    for (const button of this.element.querySelectorAll("[data-gcs]")) {
      button.setAttribute("aria-pressed", String(button.dataset.gcs === this.gcs));
    }
  }

  async copy(button) {
    const source = by(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Without a secure connection there is no clipboard to write to; what is selected can be copied all the same.
      getSelection().selectAllChildren(source);
      if (!document.execCommand("copy")) return;
    }
    button.textContent = words.copied;
    this.said(words.copied);
    setTimeout(() => (button.textContent = words.copy), 1500);
  }
}
