// Moves a map view with mouse, fingers, wheel and keyboard.

import type { Point } from './camera';
import type { MapView } from './view';

/** A drag that does something else than move the map. */
export type Drag = { onMove: (at: Point) => void; onEnd: () => void };

export type GestureEvents = {
  /** A click or tap, and how far from it a station may be. */
  onTap: (at: Point, reach: number) => void;
  /** The mouse moves without a button pressed. */
  onHover: (at: Point) => void;
  /** May take over a drag, which otherwise moves the map. */
  startDrag?: (at: Point, event: PointerEvent) => Drag | undefined;
};

/** Pointers that move less than this many pixels click. */
const CLICK_PIXELS = 6;

/** The zoom factor of a turn of the wheel. */
export function wheelFactor(event: Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'ctrlKey'>): number {
  // The unit of deltaY: pixels, lines or pages.
  const unit = [1, 18, 400][event.deltaMode] ?? 1;
  // A pinch on a touchpad arrives as a wheel with the control key, in small steps.
  const step = event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0022);
  return Math.exp(-Math.max(-0.7, Math.min(step, 0.7)));
}

/** The pan and zoom when one of two fingers moves: their midpoint carries the map, their distance zooms it. */
export function pinch(before: Point, now: Point, other: Point) {
  const distance = (one: Point) => Math.max(Math.hypot(one.x - other.x, one.y - other.y), 10);
  return {
    dx: (now.x - before.x) / 2,
    dy: (now.y - before.y) / 2,
    factor: distance(now) / distance(before),
    at: { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 },
  };
}

export function attachGestures(view: MapView, { onTap, onHover, startDrag }: GestureEvents): void {
  const { canvas } = view;
  const pointers = new Map<number, Point>();
  let pressed: Point | undefined;
  let drag: Drag | undefined;
  let speed = { x: 0, y: 0, at: 0 };

  const position = (event: MouseEvent): Point => {
    const bounds = canvas.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };
  const updateDragged = () => {
    view.isDragged = pointers.size > 0;
    canvas.classList.toggle('dragged', view.isDragged);
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, position(event));
    drag = pointers.size === 1 ? startDrag?.(position(event), event) : undefined;
    pressed = pointers.size === 1 ? position(event) : undefined;
    speed = { x: 0, y: 0, at: event.timeStamp };
    view.stop();
    updateDragged();
  });

  canvas.addEventListener('pointermove', (event) => {
    const now = position(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') onHover(now);
      return;
    }
    if (pressed && Math.hypot(now.x - pressed.x, now.y - pressed.y) > CLICK_PIXELS) pressed = undefined;
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, now);
    if (other) {
      const { dx, dy, factor, at } = pinch(before, now, other);
      view.panBy(dx, dy);
      view.zoomBy(factor, at);
      return;
    }
    if (pressed) return;
    if (drag) {
      drag.onMove(now);
      return;
    }
    const elapsed = Math.max(event.timeStamp - speed.at, 1);
    const weight = Math.min(elapsed / 60, 1);
    speed = {
      x: speed.x * (1 - weight) + ((now.x - before.x) / elapsed) * weight,
      y: speed.y * (1 - weight) + ((now.y - before.y) / elapsed) * weight,
      at: event.timeStamp,
    };
    view.panBy(now.x - before.x, now.y - before.y);
  });

  const release = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    updateDragged();
    if (event.type === 'pointerup' && pointers.size === 0) {
      if (pressed) onTap(position(event), event.pointerType === 'mouse' ? 6 : 16);
      else if (drag) drag.onEnd();
      else if (event.timeStamp - speed.at < 60) view.fling(speed.x, speed.y);
    }
    pressed = drag = undefined;
    view.draw();
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('dblclick', (event) => view.easeZoomBy(2, position(event)));

  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      view.easeZoomBy(wheelFactor(event), position(event));
    },
    { passive: false },
  );

  const zoomIn = () => view.easeZoomBy(1.5);
  const zoomOut = () => view.easeZoomBy(1 / 1.5);
  const keys: Partial<Record<string, () => void>> = {
    ArrowLeft: () => view.panBy(80, 0),
    ArrowRight: () => view.panBy(-80, 0),
    ArrowUp: () => view.panBy(0, 80),
    ArrowDown: () => view.panBy(0, -80),
    // The plus without the shift key on American and Japanese keyboards.
    '+': zoomIn,
    '=': zoomIn,
    ';': zoomIn,
    '-': zoomOut,
    _: zoomOut,
    '0': () => view.fit(),
    Enter: () => onTap(view.centre, 40),
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.key.startsWith('Arrow')) view.stop();
    act();
  });
}
