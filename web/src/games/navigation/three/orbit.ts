// A camera that a pointer turns around the sea, and a wheel or two fingers bring nearer.
import { Vector3 } from "three";

export interface Orbit {
  target: Vector3;
  position(): Vector3;
  close(): void;
}

export function orbit(element: HTMLElement, middle: Vector3, size: number): Orbit {
  let azimuth = -0.2;
  let height = 0.85;
  let distance = size * 1.68;
  const pointers = new Map<number, { x: number; y: number }>();
  const nearest = size * 0.25;
  const farthest = size * 2.2;
  const listening = new AbortController();
  const options = { signal: listening.signal };

  const bring = (factor: number) => {
    distance = Math.max(nearest, Math.min(farthest, distance * factor));
  };
  element.addEventListener(
    "pointerdown",
    (event) => {
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
      bring(Math.exp(event.deltaY * 0.001));
    },
    { ...options, passive: false },
  );
  return {
    target: middle,
    position: () =>
      new Vector3(
        middle.x + distance * Math.cos(height) * Math.sin(azimuth),
        distance * Math.sin(height),
        middle.z + distance * Math.cos(height) * Math.cos(azimuth),
      ),
    close: () => listening.abort(),
  };
}
