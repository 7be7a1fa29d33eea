// What a canvas shows of a map: the camera, its movements, and when a frame is painted.

import {
  boundsScale,
  centredOn,
  clampCamera,
  clampScale,
  fitScale,
  flightCamera,
  planFlight,
  toMap,
  toScreen,
  uncoveredCentre,
  zoomAround,
  type Bounds,
  type Camera,
  type Insets,
  type Point,
  type Size,
} from './camera';
import type { MapLine, MapStation, Network } from './network';
import { paint } from './paint';
import { TileLoader, type TileStyle } from './tile-loader';
import type { Way } from './way';

export type ViewEvents = {
  /** The camera has come to rest. */
  onRest?: () => void;
  /** The server has another version of the map. */
  onStale: () => void;
  /** Tiles began to fail repeatedly, or no longer do. */
  onFailing: (isFailing: boolean) => void;
  /** A frame has been painted, and something may be painted over it. */
  onPaint?: (view: MapView) => void;
};

/** A movement of the camera. `step` is called for each frame and returns whether the movement goes on. */
type Motion = { step: (now: number) => boolean; targetScale?: number };

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class MapView {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  camera: Camera = { x: 0, y: 0, scale: 1 };
  insets: Insets = { left: 0, right: 0, top: 0, bottom: 0 };
  style: TileStyle = 'light';
  inJapanese = false;
  /** The station that is outlined. */
  station: MapStation | undefined;
  /** The line that is highlighted. */
  line: MapLine | undefined;
  /** The way that is highlighted. */
  way: Way | undefined;
  isDragged = false;
  width = 0;
  height = 0;
  /** Canvas pixels per screen pixel. */
  pixelRatio = 1;
  network: Network | undefined;
  readonly #events: ViewEvents;
  readonly #resizes: ResizeObserver;
  #tiles: TileLoader | undefined;
  #motion: Motion | undefined;
  #frame: number | undefined;

  constructor(canvas: HTMLCanvasElement, events: ViewEvents) {
    this.canvas = canvas;
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('the browser cannot draw on a canvas');
    this.context = context;
    this.#events = events;
    this.#resizes = new ResizeObserver(() => this.resize());
    this.#resizes.observe(canvas);
  }

  /** Shows a map. */
  open(network: Network): void {
    this.#tiles?.close();
    this.network = network;
    const { onStale, onFailing } = this.#events;
    this.#tiles = new TileLoader(network, { onTile: () => this.draw(), onStale, onFailing });
    this.resize();
  }

  /** Stops drawing and frees everything. */
  close(): void {
    this.#resizes.disconnect();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.stop();
    this.#tiles?.close();
    this.network = undefined;
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.pixelRatio = Math.min(window.devicePixelRatio || 1, 3);
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.round(clientWidth * this.pixelRatio);
    this.canvas.height = Math.round(clientHeight * this.pixelRatio);
    if (!this.network) return;
    this.jumpTo(this.camera);
    this.#paint();
  }

  /** The scale at which the whole map is in view. */
  get fitScale(): number {
    return fitScale(this.#mapSize, this.#viewport);
  }

  /** The centre of what no panel covers, in screen pixels. */
  get centre(): Point {
    return uncoveredCentre(this.#viewport, this.insets);
  }

  toMap(x: number, y: number): Point {
    return toMap(this.camera, this.#viewport, { x, y });
  }

  toScreen(x: number, y: number): Point {
    return toScreen(this.camera, this.#viewport, { x, y });
  }

  /** Moves the camera at once, within its limits. */
  jumpTo(camera: Camera): void {
    this.camera = clampCamera(camera, this.#mapSize, this.#viewport);
  }

  /** Ends the movement in progress. */
  stop(): void {
    this.#motion = undefined;
  }

  panBy(dx: number, dy: number): void {
    const { x, y, scale } = this.camera;
    this.jumpTo({ x: x - dx / scale, y: y - dy / scale, scale });
    this.draw();
  }

  /** Zooms at once. What is at a point of the screen stays there. */
  zoomBy(factor: number, at: Point = this.centre): void {
    this.camera = zoomAround(this.camera, this.#mapSize, this.#viewport, factor, at);
    this.draw();
  }

  /** Zooms in steps that the eye can follow. Calls during the movement add up. */
  easeZoomBy(factor: number, at: Point = this.centre): void {
    if (reducedMotion.matches) {
      this.zoomBy(factor, at);
      return;
    }
    const wanted = (this.#motion?.targetScale ?? this.camera.scale) * factor;
    const targetScale = clampScale(wanted, this.#mapSize, this.#viewport);
    let last = performance.now();
    this.#start({
      targetScale,
      step: (now) => {
        const share = 1 - Math.exp(-(now - last) / 60);
        last = now;
        const left = Math.log(targetScale / this.camera.scale);
        this.zoomBy(Math.exp(Math.abs(left) < 0.003 ? left : left * share), at);
        return Math.abs(left) >= 0.003;
      },
    });
  }

  /** Lets the map slide on after a drag. Speeds are in screen pixels per millisecond. */
  fling(vx: number, vy: number): void {
    if (reducedMotion.matches || Math.hypot(vx, vy) < 0.15) return;
    let last = performance.now();
    this.#start({
      step: (now) => {
        const elapsed = Math.min(now - last, 50);
        last = now;
        this.panBy(vx * elapsed, vy * elapsed);
        const friction = Math.exp(-elapsed / 220);
        vx *= friction;
        vy *= friction;
        return Math.hypot(vx, vy) > 0.02;
      },
    });
  }

  /** Flies to a map position so that it ends in the centre of what no panel covers. */
  flyTo(x: number, y: number, scale = this.camera.scale): void {
    const targetScale = clampScale(scale, this.#mapSize, this.#viewport);
    // Panels may open and close during the flight.
    const target = () => centredOn({ x, y }, targetScale, this.#viewport, this.insets);
    if (reducedMotion.matches) {
      this.stop();
      this.jumpTo(target());
      this.draw();
      return;
    }
    const flight = planFlight({ ...this.camera }, target());
    const began = performance.now();
    this.#start({
      step: (now) => {
        const share = Math.min(Math.max((now - began) / flight.milliseconds, 0), 1);
        this.jumpTo(flightCamera(flight, target(), share));
        return share < 1;
      },
    });
  }

  /** Shows the whole map. */
  fit(): void {
    const { width, height } = this.#mapSize;
    this.fitBounds({ left: 0, top: 0, right: width, bottom: height });
  }

  /** Shows a part of the map as large as fits beside the panels. */
  fitBounds(bounds: Bounds): void {
    const { left, top, right, bottom } = bounds;
    this.flyTo((left + right) / 2, (top + bottom) / 2, boundsScale(bounds, this.#viewport, this.insets));
  }

  /** Paints the next frame. */
  draw(): void {
    this.canvas.dataset.state = 'loading';
    this.#frame ??= requestAnimationFrame((now) => {
      this.#frame = undefined;
      if (!this.network) return;
      const motion = this.#motion;
      if (motion) {
        const goesOn = motion.step(now);
        if (!goesOn && this.#motion === motion) this.#motion = undefined;
        if (this.#motion) this.draw();
      }
      this.#paint();
    });
  }

  #start(motion: Motion): void {
    this.#motion = motion;
    this.draw();
  }

  #paint(): void {
    if (!this.network || !this.#tiles) return;
    const isFading = paint(this, this.network, this.#tiles);
    this.#events.onPaint?.(this);
    const isResting = !this.#motion && !this.isDragged;
    const { x, y, scale } = this.camera;
    this.canvas.dataset.state = isResting && !isFading && this.#tiles.isComplete ? 'ready' : 'loading';
    this.canvas.dataset.view = [x, y, scale].map((number) => number.toFixed(4)).join(',');
    if (isFading) this.draw();
    if (isResting) this.#events.onRest?.();
  }

  get #viewport(): Size {
    return { width: this.width, height: this.height };
  }

  get #mapSize(): Size {
    return this.network ?? { width: 1, height: 1 };
  }
}
