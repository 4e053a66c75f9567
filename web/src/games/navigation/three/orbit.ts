// A camera that a pointer turns around the sea, and a wheel or two fingers bring nearer.
import { type PerspectiveCamera, Vector3 } from "three";

export interface Orbit {
  /** Where the camera looks. */
  target: Vector3;
  position(): Vector3;
  /** Glide towards a place, and so near to it; null: back to the whole sea. A player who has
   * taken the camera in hand keeps it. */
  follow(place: Vector3 | null, near: number): void;
  /** See the whole sea as large as the canvas has room for, unless a player holds the camera. */
  fit(camera: PerspectiveCamera, corners: readonly Vector3[]): void;
  close(): void;
}

/** The share of the way that the camera glides in one frame. */
const GLIDE = 0.035;
/** The share of the canvas, from its middle to its edge, that the sea may fill. */
const FILLED = 0.98;

export function orbit(element: HTMLElement, middle: Vector3, size: number): Orbit {
  let whole = size * 1.8;
  const target = middle.clone();
  let azimuth = 0;
  let height = 1.2;
  let distance = whole;
  let taken = false;
  const pointers = new Map<number, { x: number; y: number }>();
  const nearest = size * 0.25;
  const farthest = size * 2.2;
  const listening = new AbortController();
  const options = { signal: listening.signal };

  const place = (from: Vector3, away: number) =>
    new Vector3(
      from.x + away * Math.cos(height) * Math.sin(azimuth),
      away * Math.sin(height),
      from.z + away * Math.cos(height) * Math.cos(azimuth),
    );
  const bring = (factor: number) => {
    distance = Math.max(nearest, Math.min(farthest, distance * factor));
  };
  element.addEventListener(
    "pointerdown",
    (event) => {
      taken = true;
      element.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    options,
  );
  element.addEventListener(
    "pointermove",
    (event) => {
      const old = pointers.get(event.pointerId);
      if (!old) return;
      const now = { x: event.clientX, y: event.clientY };
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        bring(Math.hypot(old.x - other.x, old.y - other.y) / Math.max(1, Math.hypot(now.x - other.x, now.y - other.y)));
      } else {
        azimuth -= (now.x - old.x) * 0.006;
        height = Math.max(0.15, Math.min(1.5, height + (now.y - old.y) * 0.005));
      }
      pointers.set(event.pointerId, now);
    },
    options,
  );
  const release = (event: PointerEvent) => pointers.delete(event.pointerId);
  element.addEventListener("pointerup", release, options);
  element.addEventListener("pointercancel", release, options);
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      taken = true;
      bring(Math.exp(event.deltaY * 0.001));
    },
    { ...options, passive: false },
  );
  return {
    target,
    position: () => place(target, distance),
    fit(camera, corners) {
      if (taken) return;
      const depth = Math.max(...corners.map((corner) => corner.z));
      const shares = Array.from({ length: 21 }, (_, i) => 0.4 + i / 100);
      const found = shares.map((share) => {
        const at = new Vector3(middle.x, 0, share * depth);
        return { at, away: nearestWhole(camera, corners, (away) => [at, place(at, away)], size) };
      });
      const best = found.reduce((a, b) => (b.away < a.away ? b : a));
      middle.copy(best.at);
      target.copy(best.at);
      distance = whole = best.away;
    },
    follow(goal, near) {
      if (taken) return;
      target.lerp(goal ?? middle, GLIDE);
      distance += ((goal ? Math.min(near, whole) : whole) - distance) * GLIDE;
    },
    close: () => listening.abort(),
  };
}

/** The least distance from which all corners are on the canvas; `view` says where the camera looks
 * and where it is. */
function nearestWhole(
  camera: PerspectiveCamera,
  corners: readonly Vector3[],
  view: (away: number) => [Vector3, Vector3],
  size: number,
): number {
  const seen = camera.clone();
  let [near, far] = [size * 0.5, size * 4];
  for (let step = 0; step < 20; step++) {
    const half = (near + far) / 2;
    const [at, from] = view(half);
    seen.position.copy(from);
    seen.lookAt(at);
    seen.updateMatrixWorld();
    const fits = corners.every((corner) => {
      const { x, y } = corner.clone().project(seen);
      return Math.max(Math.abs(x), Math.abs(y)) <= FILLED;
    });
    if (fits) far = half;
    else near = half;
  }
  return far;
}
