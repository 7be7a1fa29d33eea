// What hands do to the map: mouse, fingers, wheel and keys.

const CLICK = 6;

/// Lets the canvas of a view be moved; `tapped` is told where a station may be meant, `over` where the mouse is. `grab`
/// may take a drag for itself that would move the map: it answers with what is to be told of it, `moved` and `done`.
export function handle(view, { tapped, over, grab }) {
  const { canvas } = view;
  const held = new Map();
  let pressed;
  let grabbed;
  let speed = { x: 0, y: 0, at: 0 };

  const place = (event) => {
    const bounds = canvas.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  };
  const hold = () => {
    view.isHeld = held.size > 0;
    canvas.classList.toggle("held", view.isHeld);
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, place(event));
    grabbed = held.size === 1 ? grab?.(place(event), event) : undefined;
    pressed = held.size === 1 ? { ...place(event), at: event.timeStamp } : undefined;
    speed = { x: 0, y: 0, at: event.timeStamp };
    view.stop();
    hold();
  });

  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = held.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") over(now);
      return;
    }
    if (pressed && Math.hypot(now.x - pressed.x, now.y - pressed.y) > CLICK) pressed = undefined;
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    held.set(event.pointerId, now);
    if (other) {
      // Two fingers: their middle carries the map, their distance zooms it.
      const span = (one) => Math.max(Math.hypot(one.x - other.x, one.y - other.y), 10);
      view.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      view.zoom(span(now) / span(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
      return;
    }
    if (pressed) return;
    if (grabbed) return grabbed.moved(now);
    const past = Math.max(event.timeStamp - speed.at, 1);
    const mix = Math.min(past / 60, 1);
    speed = {
      x: speed.x * (1 - mix) + ((now.x - before.x) / past) * mix,
      y: speed.y * (1 - mix) + ((now.y - before.y) / past) * mix,
      at: event.timeStamp,
    };
    view.pan(now.x - before.x, now.y - before.y);
  });

  const release = (event) => {
    if (!held.delete(event.pointerId)) return;
    hold();
    if (event.type === "pointerup" && held.size === 0) {
      if (pressed) tapped(place(event), event.pointerType === "mouse" ? 6 : 16);
      else if (grabbed) grabbed.done();
      else if (event.timeStamp - speed.at < 60) view.slide(speed.x, speed.y);
    }
    pressed = grabbed = undefined;
    view.draw();
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("dblclick", (event) => view.glide(2, place(event)));

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = [1, 18, 400][event.deltaMode] ?? 1;
    // A pinch on a touchpad comes as a wheel with the control key, in small steps.
    const step = event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0022);
    view.glide(Math.exp(-Math.max(-0.7, Math.min(step, 0.7))), place(event));
  }, { passive: false });

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowLeft: () => view.pan(80, 0), ArrowRight: () => view.pan(-80, 0),
      ArrowUp: () => view.pan(0, 80), ArrowDown: () => view.pan(0, -80),
      "+": () => view.glide(1.5), "=": () => view.glide(1.5), ";": () => view.glide(1.5),
      "-": () => view.glide(1 / 1.5), _: () => view.glide(1 / 1.5), 0: () => view.fit(),
      Enter: () => tapped(view.middle, 40),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.key.startsWith("Arrow")) view.stop();
    act();
  });
}
