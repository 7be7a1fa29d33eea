// Names over the map when it is seen from so far away that those on it cannot be read.

import { isJapanese } from "./words.js";

/// Below this scale the names on the map are dust.
export const FAR = 0.4;

const meets = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/// A number that has nothing to do with where a station is: among equals, names are spread over the whole map.
const lot = ({ code }) => Math.imul(code, 2654435761) >>> 0;

/// The stations of a map, those of most lines first.
const ranked = (network) =>
  (network.ranked ??= [...network.stations].sort(
    (one, other) => other.lines.length - one.lines.length || lot(one) - lot(other),
  ));

/// Writes as many names as have room: of the chosen line's stations, or of those where most lines meet.
export function paintNames(view) {
  const { ink, dpr, network, camera, line, inJapanese = isJapanese } = view;
  if (camera.scale >= FAR) return;
  const colors = getComputedStyle(view.canvas);
  const most = line ? Infinity : (view.width * view.height) / 16000;
  const taken = [];
  // A large map has thousands in sight, and each look costs time in every frame.
  let looks = 400;
  ink.save();
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  ink.font = `600 12px ${colors.getPropertyValue("--font")}`;
  ink.textBaseline = "middle";
  ink.lineJoin = "round";
  ink.lineWidth = 4;
  ink.strokeStyle = view.paper;
  ink.fillStyle = colors.getPropertyValue("--ink").trim();
  for (const station of line ? line.stations : ranked(network)) {
    if (taken.length >= most || looks === 0) break;
    const { x, y } = view.toScreen(station.x, station.y);
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    looks -= 1;
    const text = (!inJapanese && station.translation) || station.name;
    const width = ink.measureText(text).width;
    for (const [left, top] of [[x + 7, y - 8], [x - 7 - width, y - 8], [x - width / 2, y - 23], [x - width / 2, y + 7]]) {
      const room = { left: left - 3, top, right: left + width + 3, bottom: top + 16 };
      if (room.left < 0 || room.right > view.width || taken.some((other) => meets(room, other))) continue;
      taken.push(room);
      ink.strokeText(text, left, top + 8);
      ink.fillText(text, left, top + 8);
      break;
    }
  }
  ink.restore();
}
