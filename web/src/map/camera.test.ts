import { describe, expect, test } from 'vitest';
import {
  boundsScale,
  centredOn,
  clampCamera,
  fitScale,
  flightCamera,
  MAX_SCALE,
  planFlight,
  toMap,
  toScreen,
  uncoveredCentre,
  zoomAround,
} from './camera';

const map = { width: 4000, height: 3000 };
const viewport = { width: 800, height: 600 };
const camera = { x: 2000, y: 1500, scale: 0.5 };
const uncovered = { left: 0, right: 0, top: 0, bottom: 0 };

describe('screen and map positions', () => {
  test('the camera is in the centre of the viewport', () => {
    expect(toScreen(camera, viewport, camera)).toEqual({ x: 400, y: 300 });
    expect(toMap(camera, viewport, { x: 400, y: 300 })).toEqual({ x: 2000, y: 1500 });
  });

  test('a screen pixel is one divided by the scale map units', () => {
    expect(toMap(camera, viewport, { x: 410, y: 295 })).toEqual({ x: 2020, y: 1490 });
    expect(toScreen(camera, viewport, { x: 2020, y: 1490 })).toEqual({ x: 410, y: 295 });
  });
});

describe('limits', () => {
  test('the centre stays on the map', () => {
    expect(clampCamera({ x: -1, y: 3001, scale: 1 }, map, viewport)).toEqual({ x: 0, y: 3000, scale: 1 });
  });

  test('the scale stays between the whole map and the maximum', () => {
    expect(fitScale(map, viewport)).toBeCloseTo(0.188);
    expect(clampCamera({ ...camera, scale: 0.01 }, map, viewport).scale).toBeCloseTo(0.188);
    expect(clampCamera({ ...camera, scale: 100 }, map, viewport).scale).toBe(MAX_SCALE);
  });

  test('a map that is smaller than the viewport can still be shown at half its size', () => {
    expect(clampCamera({ x: 0, y: 0, scale: 0.01 }, { width: 100, height: 100 }, viewport).scale).toBe(0.5);
  });
});

describe('zooming', () => {
  test('keeps what is at the point where it is', () => {
    const at = { x: 650, y: 120 };
    const zoomed = zoomAround(camera, map, viewport, 1.7, at);
    expect(zoomed.scale).toBeCloseTo(0.85);
    const [before, after] = [toMap(camera, viewport, at), toMap(zoomed, viewport, at)];
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
  });

  test('does not move the camera when the scale cannot change', () => {
    const nearest = { ...camera, scale: MAX_SCALE };
    expect(zoomAround(nearest, map, viewport, 2, { x: 0, y: 0 })).toEqual(nearest);
  });
});

describe('panels', () => {
  const insets = { left: 0, right: 200, top: 100, bottom: 0 };

  test('move the centre to what they do not cover', () => {
    expect(uncoveredCentre(viewport, uncovered)).toEqual({ x: 400, y: 300 });
    expect(uncoveredCentre(viewport, insets)).toEqual({ x: 300, y: 350 });
  });

  test('a position is shown in the centre of the rest', () => {
    const at = { x: 1000, y: 1000 };
    expect(toScreen(centredOn(at, 2, viewport, insets), viewport, at)).toEqual({ x: 300, y: 350 });
  });

  test('bounds fill the rest, but are not enlarged beyond 1.5', () => {
    const bounds = { left: 0, top: 0, right: 1200, bottom: 500 };
    expect(boundsScale(bounds, viewport, insets)).toBeCloseTo((600 / 1200) * 0.94);
    expect(boundsScale({ left: 0, top: 0, right: 10, bottom: 10 }, viewport, insets)).toBe(1.5);
  });
});

describe('a flight', () => {
  const near = { ...camera, x: 2100 };
  const far = { x: 100, y: 100, scale: 2 };

  test('begins and ends at its cameras', () => {
    for (const to of [near, far]) {
      const flight = planFlight(camera, to);
      expect(flightCamera(flight, to, 0)).toEqual(camera);
      const end = flightCamera(flight, to, 1);
      expect(end.x).toBeCloseTo(to.x);
      expect(end.scale).toBeCloseTo(to.scale);
    }
  });

  test('takes longer for a longer way, up to 1.1 seconds', () => {
    expect(planFlight(camera, camera).milliseconds).toBe(300);
    expect(planFlight(camera, near).milliseconds).toBeCloseTo(312.5);
    expect(planFlight(camera, { ...camera, x: 1e6 }).milliseconds).toBe(1100);
  });

  test('zooms out on a long way only', () => {
    expect(flightCamera(planFlight(camera, near), near, 0.5).scale).toBeCloseTo(0.5);
    expect(flightCamera(planFlight(camera, far), far, 0.5).scale).toBeLessThan(Math.sqrt(0.5 * 2));
  });
});
