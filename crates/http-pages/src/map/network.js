// The map as data: its stations and lines, and which station is at a place.

const SAME = { "ヶ": "ケ", "ヵ": "カ", "ッ": "ツ", "っ": "つ", "麴": "麹" };

/// A name as it is compared, like the server does it and a little more: katakana is hiragana, accents go.
export function fold(text) {
  return text.normalize("NFKC").toLowerCase()
    .replace(/[\s・'’.\-‐〈〉()]/gu, "")
    .replace(/[ヶヵッっ麴]/gu, (c) => SAME[c])
    .replace(/[ァ-ヶ]/gu, (c) => String.fromCharCode(c.charCodeAt(0) - 0x60))
    .normalize("NFD").replace(/[\u0300-\u036f]/gu, "").normalize("NFC");
}

/// Fetches the data of a map; undefined when there is no such map.
export async function load(id) {
  const answer = await fetch(`/map/${id}/data.json`);
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`data.json: ${answer.status}`);
  return new Network(await answer.json());
}

export class Network {
  constructor(data) {
    Object.assign(this, data);
    this.byCode = new Map();
    for (const station of this.stations) {
      this.byCode.set(String(station.code), station);
      station.lines = [];
      const [x, y, width, height] = station.boxes[0];
      station.x = x + width / 2;
      station.y = y + height / 2;
    }
    for (const line of this.lines) {
      line.stations = [...new Set(line.runs.flat())].map((at) => this.stations[at]);
      for (const station of line.stations) station.lines.push(line);
    }
  }

  /// The station at a place of the map: whose shape is there, or else whose shape is nearest within reach.
  at(x, y, reach) {
    let nearest;
    let least = reach * reach;
    for (const station of this.stations) {
      for (const [left, top, width, height] of station.boxes) {
        const dx = Math.max(left - x, 0, x - left - width);
        const dy = Math.max(top - y, 0, y - top - height);
        const distance = dx * dx + dy * dy;
        if (distance < least || (distance === 0 && !nearest)) {
          least = distance;
          nearest = station;
        }
      }
      if (least === 0 && nearest) return nearest;
    }
    return nearest;
  }

  /// The stations that answer to a text, the best first.
  find(text, most) {
    const wanted = fold(text);
    if (!wanted) return [];
    const found = [];
    for (const station of this.stations) {
      station.keys ??= [station.name, station.yomi, station.translation ?? "", ...(station.formerly ?? [])].map(fold);
      let rank = String(station.code) === wanted ? 0 : Infinity;
      station.keys.forEach((key, at) => {
        const place = key ? key.indexOf(wanted) : -1;
        if (place < 0) return;
        const kind = key.length === wanted.length ? 0 : place === 0 ? 10 : 20;
        // A former name comes after a current one that fits as well.
        rank = Math.min(rank, kind + (at > 2 ? 5 : 0) + Math.min(key.length, 40) / 10);
      });
      if (rank === Infinity && wanted.length > 2 && String(station.code).startsWith(wanted)) rank = 30;
      if (rank < Infinity) found.push([rank, station]);
    }
    found.sort(([a, one], [b, other]) => a - b || one.code - other.code);
    return found.slice(0, most).map(([, station]) => station);
  }

  /// The corners of a line, run by run.
  paths(line) {
    if (line.paths?.length) return line.paths;
    return line.runs.map((run) => {
      const corners = run.map((at) => [this.stations[at].x, this.stations[at].y]);
      return line.loop && corners.length > 2 ? [...corners, corners[0]] : corners;
    });
  }
}
