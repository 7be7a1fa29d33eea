// What is seen of the map: a camera, the tiles below it, and what is drawn over them.

import { FAR, paintNames } from "./names.js";
import { Tiles } from "./tiles.js";

const FADE = 140;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const clamp = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));

export class View {
  /// `moved` is called when the camera has come to rest, `painted` after each frame by whoever draws something over it.
  constructor(canvas, { moved, stale, troubled, painted }) {
    this.canvas = canvas;
    this.ink = canvas.getContext("2d", { alpha: false });
    this.moved = moved;
    this.painted = painted;
    this.hooks = { changed: () => this.draw(), stale, troubled };
    this.camera = { x: 0, y: 0, scale: 1 };
    this.insets = { left: 0, right: 0, top: 0, bottom: 0 };
    this.style = "light";
    this.motion = undefined;
    this.station = undefined;
    this.line = undefined;
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(canvas);
  }

  /// Shows a map.
  open(network) {
    this.tiles?.close();
    this.network = network;
    this.tiles = new Tiles(network, this.hooks);
    this.resize();
  }

  /// Ends it, where the page goes on without the map.
  close() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.stop();
    this.tiles?.close();
    this.network = undefined;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.dpr = Math.min(window.devicePixelRatio || 1, 3);
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * this.dpr);
    this.canvas.height = Math.round(height * this.dpr);
    if (!this.network) return;
    this.place(this.camera);
    this.paint();
  }

  /// The scale at which the whole map is seen.
  get fitting() {
    const { width, height } = this.network;
    return Math.min(this.width / width, this.height / height) * 0.94;
  }

  get nearest() {
    return 4;
  }

  get farthest() {
    return Math.min(this.fitting, 0.5);
  }

  /// The middle of what no panel covers, in pixels of the screen.
  get middle() {
    const { left, right, top, bottom } = this.insets;
    return { x: (left + this.width - right) / 2, y: (top + this.height - bottom) / 2 };
  }

  toMap(x, y) {
    const { camera } = this;
    return { x: camera.x + (x - this.width / 2) / camera.scale, y: camera.y + (y - this.height / 2) / camera.scale };
  }

  toScreen(x, y) {
    const { camera } = this;
    return { x: (x - camera.x) * camera.scale + this.width / 2, y: (y - camera.y) * camera.scale + this.height / 2 };
  }

  /// Puts the camera somewhere within bounds.
  place({ x, y, scale }) {
    const to = clamp(scale, this.farthest, this.nearest);
    this.camera = { x: clamp(x, 0, this.network.width), y: clamp(y, 0, this.network.height), scale: to };
  }

  /// Stops whatever moves.
  stop() {
    this.motion = undefined;
  }

  pan(dx, dy) {
    const { x, y, scale } = this.camera;
    this.place({ x: x - dx / scale, y: y - dy / scale, scale });
    this.draw();
  }

  /// Zooms so that what is at a point of the screen stays there.
  zoom(factor, at = this.middle) {
    const before = this.toMap(at.x, at.y);
    this.place({ ...this.camera, scale: this.camera.scale * factor });
    const after = this.toMap(at.x, at.y);
    this.place({ ...this.camera, x: this.camera.x + before.x - after.x, y: this.camera.y + before.y - after.y });
    this.draw();
  }

  /// Zooms in some steps that the eye can follow; further calls add up.
  glide(factor, at = this.middle) {
    if (still.matches) return this.zoom(factor, at);
    const wanted = (this.motion?.wanted ?? this.camera.scale) * factor;
    const goal = clamp(wanted, this.farthest, this.nearest);
    let last = performance.now();
    this.motion = {
      wanted: goal,
      step: (now) => {
        const part = 1 - Math.exp(-(now - last) / 60);
        last = now;
        const left = Math.log(goal / this.camera.scale);
        this.zoom(Math.exp(Math.abs(left) < 0.003 ? left : left * part), at);
        return Math.abs(left) >= 0.003;
      },
    };
    this.draw();
  }

  /// Lets the map slide on after it was thrown; speeds are in pixels a millisecond.
  slide(vx, vy) {
    if (still.matches || Math.hypot(vx, vy) < 0.15) return;
    let last = performance.now();
    this.motion = {
      step: (now) => {
        const past = Math.min(now - last, 50);
        last = now;
        this.pan(vx * past, vy * past);
        const slower = Math.exp(-past / 220);
        vx *= slower;
        vy *= slower;
        return Math.hypot(vx, vy) > 0.02;
      },
    };
    this.draw();
  }

  /// Flies to a place so that it comes to lie in the middle of what is free.
  fly(x, y, scale = this.camera.scale) {
    const to = clamp(scale, this.farthest, this.nearest);
    const goal = () => ({
      x: x + (this.width / 2 - this.middle.x) / to, y: y + (this.height / 2 - this.middle.y) / to, scale: to,
    });
    if (still.matches) {
      this.stop();
      this.place(goal());
      return this.draw();
    }
    const from = { ...this.camera };
    const far = Math.hypot(goal().x - from.x, goal().y - from.y) * Math.min(from.scale, to);
    const time = clamp(300 + far * 0.25, 300, 1100);
    // A long way is flown higher: both ends are seen on it.
    const height = far > 900 ? Math.min(Math.log(far / 900), 1.2) : 0;
    const began = performance.now();
    this.motion = {
      step: (now) => {
        const part = clamp((now - began) / time, 0, 1);
        const eased = part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
        const end = goal();
        const lower = Math.exp(-height * Math.sin(Math.PI * eased));
        this.place({
          x: from.x + (end.x - from.x) * eased,
          y: from.y + (end.y - from.y) * eased,
          scale: from.scale * (end.scale / from.scale) ** eased * lower,
        });
        return part < 1;
      },
    };
    this.draw();
  }

  /// Shows everything.
  fit() {
    this.frameOf(0, 0, this.network.width, this.network.height);
  }

  /// Shows a part of the map as large as fits beside what covers the rest, but not larger than it is drawn.
  frameOf(left, top, right, bottom) {
    const { insets } = this;
    const room = { x: this.width - insets.left - insets.right, y: this.height - insets.top - insets.bottom };
    const scale = Math.min(room.x / (right - left), room.y / (bottom - top)) * 0.94;
    this.fly((left + right) / 2, (top + bottom) / 2, Math.min(scale, 1.5));
  }

  /// Paints at the next opportunity.
  draw() {
    this.canvas.dataset.state = "loading";
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = undefined;
      if (!this.network) return;
      if (this.motion) {
        const { motion } = this;
        const goesOn = motion.step(now);
        if (!goesOn && this.motion === motion) this.motion = undefined;
        if (this.motion) this.draw();
      }
      this.paint();
    });
  }

  paint() {
    const { ink, camera, dpr, tiles } = this;
    const colors = getComputedStyle(this.canvas);
    this.paper = colors.getPropertyValue("--sheet").trim();
    this.accent = colors.getPropertyValue("--accent").trim();
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.fillStyle = colors.getPropertyValue("--table").trim();
    ink.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.fill(0, 0, this.network.width, this.network.height, this.paper);
    const z = tiles.level(camera.scale * dpr);
    const seen = this.seen(z);
    tiles.want(seen.map(({ key }) => key));
    const now = performance.now();
    const fading = this.paintTiles(seen, z, now);
    if (this.line) this.paintLine(seen, z, now);
    paintNames(this);
    if (this.station) this.paintStation(seen, z, now);
    this.painted?.(this);
    const resting = !this.motion && !this.isHeld;
    this.canvas.dataset.state = resting && !fading && tiles.complete ? "ready" : "loading";
    this.canvas.dataset.view = [camera.x, camera.y, camera.scale].map((n) => n.toFixed(4)).join(",");
    if (fading) this.draw();
    if (resting) this.moved();
  }

  fill(x, y, width, height, color) {
    const { ink } = this;
    const [left, top] = this.device(x, y);
    const [right, bottom] = this.device(x + width, y + height);
    ink.fillStyle = color;
    ink.fillRect(left, top, right - left, bottom - top);
  }

  /// A place of the map in whole pixels of the canvas: tiles meet without a seam.
  device(x, y) {
    const at = this.toScreen(x, y);
    return [Math.round(at.x * this.dpr), Math.round(at.y * this.dpr)];
  }

  /// The tiles of a level in sight, from the middle outwards.
  seen(z) {
    const { network, tiles } = this;
    const side = network.tile / tiles.scale(z);
    const [from, to] = [this.toMap(0, 0), this.toMap(this.width, this.height)];
    const last = { x: Math.ceil(network.width / side) - 1, y: Math.ceil(network.height / side) - 1 };
    const middle = this.toMap(this.middle.x, this.middle.y);
    const seen = [];
    for (let y = Math.max(0, Math.floor(from.y / side)); y <= Math.min(last.y, Math.floor(to.y / side)); y += 1) {
      for (let x = Math.max(0, Math.floor(from.x / side)); x <= Math.min(last.x, Math.floor(to.x / side)); x += 1) {
        const away = Math.hypot((x + 0.5) * side - middle.x, (y + 0.5) * side - middle.y);
        seen.push({ key: `${this.style}/${z}/${x}/${y}`, x, y, side, away });
      }
    }
    return seen.sort((one, other) => one.away - other.away);
  }

  paintTiles(seen, z, now) {
    const { ink, tiles, network } = this;
    let fading = false;
    ink.save();
    const [left, top] = this.device(0, 0);
    const [right, bottom] = this.device(network.width, network.height);
    ink.beginPath();
    ink.rect(left, top, right - left, bottom - top);
    ink.clip();
    ink.imageSmoothingQuality = "high";
    for (const { key, x, y, side } of seen) {
      const tile = tiles.get(key);
      const age = tile ? now - tile.since : 0;
      const isNew = tile !== undefined && age < FADE && !still.matches;
      if (!tile || isNew) this.paintStandIn(z, x, y, side);
      if (!tile) continue;
      ink.globalAlpha = isNew ? Math.max(age / FADE, 0.05) : 1;
      this.paintImage(tile.image, 0, 0, network.tile, x * side, y * side, side);
      ink.globalAlpha = 1;
      fading ||= isNew;
    }
    ink.restore();
    return fading;
  }

  /// What is known of a tile that has not come yet: a part of one above it, and those below it.
  paintStandIn(z, x, y, side) {
    const { tiles, network } = this;
    for (let up = 1; up <= z; up += 1) {
      const tile = tiles.get(`${this.style}/${z - up}/${x >> up}/${y >> up}`);
      if (!tile) continue;
      const part = network.tile / 2 ** up;
      const [column, row] = [x & (2 ** up - 1), y & (2 ** up - 1)];
      this.paintImage(tile.image, column * part, row * part, part, x * side, y * side, side);
      break;
    }
    if (z + 1 >= network.levels) return;
    for (const [dx, dy] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
      const tile = tiles.get(`${this.style}/${z + 1}/${x * 2 + dx}/${y * 2 + dy}`);
      const half = side / 2;
      if (tile) this.paintImage(tile.image, 0, 0, network.tile, x * side + dx * half, y * side + dy * half, half);
    }
  }

  paintImage(image, fromX, fromY, fromSide, x, y, side) {
    const [left, top] = this.device(x, y);
    const [right, bottom] = this.device(x + side, y + side);
    this.ink.drawImage(image, fromX, fromY, fromSide, fromSide, left, top, right - left, bottom - top);
  }

  /// Everything but the chosen line steps back.
  paintLine(seen, z, now) {
    const { ink, network, line, dpr, camera } = this;
    ink.save();
    ink.globalAlpha = 0.78;
    this.fill(0, 0, network.width, network.height, this.paper);
    ink.globalAlpha = 1;
    ink.strokeStyle = line.color;
    ink.lineWidth = Math.max(network.lineWidth * 1.4 * camera.scale, 3) * dpr;
    ink.lineJoin = ink.lineCap = "round";
    for (const path of network.paths(line)) {
      ink.beginPath();
      for (const [x, y] of path) {
        const at = this.toScreen(x, y);
        ink.lineTo(at.x * dpr, at.y * dpr);
      }
      ink.stroke();
    }
    // Its stations are shown as they are on the map, their names where they can be read.
    ink.beginPath();
    for (const station of line.stations) {
      for (const [x, y, width, height] of camera.scale < FAR ? station.boxes.slice(0, station.marks) : station.boxes) {
        const [left, top] = this.device(x - 1, y - 1);
        const [right, bottom] = this.device(x + width + 1, y + height + 1);
        ink.rect(left, top, right - left, bottom - top);
      }
    }
    ink.clip();
    this.paintTiles(seen, z, now);
    ink.restore();
  }

  /// One outline around the shapes of the chosen station, also where they touch each other.
  paintStation(seen, z, now) {
    const { ink, dpr, station, camera } = this;
    const outline = new Path2D();
    station.boxes.forEach(([x, y, width, height], at) => {
      const isMark = at < station.marks;
      const room = isMark ? Math.max(4, 3 * camera.scale) : 3;
      const from = this.toScreen(x, y);
      const [left, top] = [(from.x - room) * dpr, (from.y - room) * dpr];
      const [w, h] = [(width * camera.scale + 2 * room) * dpr, (height * camera.scale + 2 * room) * dpr];
      outline.roundRect(left, top, w, h, isMark ? Math.min(w, h) / 2 : 5 * dpr);
    });
    ink.save();
    ink.lineWidth = 6 * dpr;
    ink.lineJoin = "round";
    ink.strokeStyle = this.accent;
    ink.stroke(outline);
    ink.clip(outline);
    this.paintTiles(seen, z, now);
    ink.restore();
  }
}
