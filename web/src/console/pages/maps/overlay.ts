import type { MapStation } from '$map/network';
import type { MapView } from '$map/view';
import { handlesOf, isAllowed, type MapWindow } from './window';

/** Below this scale marks are smaller than a pixel and are drawn as dots. */
const FAR = 0.3;

type Overlay = {
  window: MapWindow | null;
  /** Whether the window can be dragged. */ isResizable: boolean;
  found: MapStation[];
};

/** Paints over the map: the stations of a response and the requested window. */
export function paintOverlay(view: MapView, { window, isResizable, found }: Overlay) {
  const { context, pixelRatio } = view;
  const colors = getComputedStyle(view.canvas);
  const color = (name: string) => colors.getPropertyValue(name).trim();
  context.save();
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  if (window) paintShade(view, window, color('--shade'));
  paintFound(view, found, color('--focus'), color('--card'));
  if (window)
    paintFrame(
      view,
      window,
      isResizable,
      color(isResizable && !isAllowed(window) ? '--bad' : '--accent'),
      color('--card'),
      color('--font'),
    );
  context.restore();
}

/** Dims everything outside the window. */
function paintShade(view: MapView, { x, y, width, height }: MapWindow, shade: string) {
  const from = view.toScreen(x, y);
  const to = view.toScreen(x + width, y + height);
  const outside = new Path2D();
  outside.rect(0, 0, view.width, view.height);
  outside.rect(from.x, from.y, to.x - from.x, to.y - from.y);
  view.context.fillStyle = shade;
  view.context.fill(outside, 'evenodd');
}

function paintFound(view: MapView, found: MapStation[], color: string, paper: string) {
  const { context, camera } = view;
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
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.stroke(rings);
  }
}

function paintFrame(
  view: MapView,
  window: MapWindow,
  isResizable: boolean,
  color: string,
  paper: string,
  font: string,
) {
  const { context } = view;
  const from = view.toScreen(window.x, window.y);
  const to = view.toScreen(window.x + window.width, window.y + window.height);
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.setLineDash(isResizable && isAllowed(window) ? [] : [7, 5]);
  context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y);
  context.setLineDash([]);
  if (!isResizable) return;

  context.fillStyle = paper;
  for (const [handle, at] of handlesOf(view, window)) {
    context.beginPath();
    context.arc(at.x, at.y, handle.length === 2 ? 6 : 5, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  const text = `${window.width} × ${window.height}`;
  context.font = `600 12px ${font}`;
  context.textBaseline = 'middle';
  const width = context.measureText(text).width + 14;
  // Above the frame, or inside it if that is out of view.
  const top = from.y - 32 < 0 ? from.y + 12 : from.y - 32;
  const left = Math.min(Math.max(from.x, 6), Math.max(to.x - width, 6));
  context.fillStyle = color;
  context.beginPath();
  context.roundRect(left, top, width, 22, 6);
  context.fill();
  context.fillStyle = paper;
  context.fillText(text, left + 7, top + 11.5);
}
