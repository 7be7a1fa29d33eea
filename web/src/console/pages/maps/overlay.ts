import type { View } from '$map/view.js';
import { gripsOf, isAllowed, type MapWindow } from './window';

/** Below this scale a mark is less than a point; then a dot stands for it. */
const FAR = 0.3;

type Overlay = { window: MapWindow | null; /** Whether it can be dragged. */ isHandy: boolean; found: MapStation[] };

/** Paints over the map what the console knows of it: the stations of an answer, and the window that was asked for. */
export function paintOverlay(view: View, { window, isHandy, found }: Overlay) {
  const { ink, dpr } = view;
  const colors = getComputedStyle(view.canvas);
  const color = (name: string) => colors.getPropertyValue(name).trim();
  ink.save();
  ink.setTransform(dpr, 0, 0, dpr, 0, 0);
  if (window) paintShade(view, window, color('--shade'));
  paintFound(view, found, color('--focus'), color('--card'));
  if (window)
    paintFrame(
      view,
      window,
      isHandy,
      color(isHandy && !isAllowed(window) ? '--bad' : '--accent'),
      color('--card'),
      color('--font'),
    );
  ink.restore();
}

/** What is not asked for steps back. */
function paintShade(view: View, { x, y, width, height }: MapWindow, shade: string) {
  const from = view.toScreen(x, y);
  const to = view.toScreen(x + width, y + height);
  const outside = new Path2D();
  outside.rect(0, 0, view.width, view.height);
  outside.rect(from.x, from.y, to.x - from.x, to.y - from.y);
  view.ink.fillStyle = shade;
  view.ink.fill(outside, 'evenodd');
}

function paintFound(view: View, found: MapStation[], color: string, paper: string) {
  const { ink, camera } = view;
  const rings = new Path2D();
  for (const station of found) {
    for (const [x, y, width, height] of station.boxes.slice(0, Math.max(station.marks, 1))) {
      const at = view.toScreen(x, y);
      if (at.x < -100 || at.y < -100 || at.x > view.width + 100 || at.y > view.height + 100) continue;
      if (camera.scale < FAR) {
        rings.moveTo(at.x + 1, at.y);
        rings.arc(at.x, at.y, 1, 0, 2 * Math.PI);
        continue;
      }
      const room = Math.max(2.5, 2 * camera.scale);
      const [w, h] = [width * camera.scale + 2 * room, height * camera.scale + 2 * room];
      rings.roundRect(at.x - room, at.y - room, w, h, Math.min(w, h) / 2);
    }
  }
  for (const [stroke, width] of [
    [paper, 4.5],
    [color, 2.5],
  ] as const) {
    ink.strokeStyle = stroke;
    ink.lineWidth = width;
    ink.stroke(rings);
  }
}

function paintFrame(view: View, window: MapWindow, isHandy: boolean, color: string, paper: string, font: string) {
  const { ink } = view;
  const from = view.toScreen(window.x, window.y);
  const to = view.toScreen(window.x + window.width, window.y + window.height);
  ink.strokeStyle = color;
  ink.lineWidth = 2;
  ink.setLineDash(isHandy && isAllowed(window) ? [] : [7, 5]);
  ink.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
  ink.setLineDash([]);
  if (!isHandy) return;

  ink.fillStyle = paper;
  for (const [grip, at] of gripsOf(view, window)) {
    ink.beginPath();
    ink.arc(at.x, at.y, grip.length === 2 ? 6 : 5, 0, 2 * Math.PI);
    ink.fill();
    ink.stroke();
  }

  const text = `${window.width} × ${window.height}`;
  ink.font = `600 12px ${font}`;
  ink.textBaseline = 'middle';
  const width = ink.measureText(text).width + 14;
  // Above the frame, or inside of it where that is out of sight.
  const top = from.y - 32 < 0 ? from.y + 12 : from.y - 32;
  const left = Math.min(Math.max(from.x, 6), Math.max(to.x - width, 6));
  ink.fillStyle = color;
  ink.beginPath();
  ink.roundRect(left, top, width, 22, 6);
  ink.fill();
  ink.fillStyle = paper;
  ink.fillText(text, left + 7, top + 11.5);
}
