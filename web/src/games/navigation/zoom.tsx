// Zooming and panning the chart: wheel, pinch, drag, keys; and following the fight.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { MARGIN } from "../../ui/chart";
import { Eye } from "../../ui/icons";

/** The part of a chart that is shown: its corner and its size, in tiles. */
export interface ChartWindow {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where to look: a tile's coordinates, and how much larger than the whole chart. */
export interface Look {
  x: number;
  y: number;
  zoom: number;
}

const MOST = 6;
const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** The window of a look, kept inside the chart. */
export function windowOf(look: Look, cols: number, rows: number): ChartWindow {
  const [wide, high] = [cols + 2 * MARGIN, rows + 2 * MARGIN];
  const [width, height] = [wide / look.zoom, high / look.zoom];
  return {
    x: clamp(look.x - width / 2, -MARGIN, cols + MARGIN - width),
    y: clamp(look.y - height / 2, -MARGIN, rows + MARGIN - height),
    width,
    height,
  };
}

/** A look that has both ships and their surroundings in sight. */
export function lookAt(points: readonly { x: number; y: number }[], cols: number, rows: number): Look {
  const xs = points.map((p) => p.x + 0.5);
  const ys = points.map((p) => p.y + 0.5);
  const span = Math.max(8, Math.max(...xs) - Math.min(...xs) + 7, Math.max(...ys) - Math.min(...ys) + 7);
  const zoom = clamp(Math.min(cols + 2 * MARGIN, rows + 2 * MARGIN) / span, 1, MOST);
  return { x: (Math.max(...xs) + Math.min(...xs)) / 2, y: (Math.max(...ys) + Math.min(...ys)) / 2, zoom };
}

/** The look after zooming by a factor around a point, which stays where it is on the screen. */
export function zoomed(look: Look, factor: number, at: { x: number; y: number }): Look {
  const zoom = clamp(look.zoom * factor, 1, MOST);
  const share = look.zoom / zoom;
  return { zoom, x: at.x + (look.x - at.x) * share, y: at.y + (look.y - at.y) * share };
}

export interface ZoomProps {
  cols: number;
  rows: number;
  /** What following means: the ships at this moment. */
  ships: readonly { x: number; y: number }[];
  children: (window: ChartWindow, zoom: number) => ComponentChildren;
}

export function ZoomBox({ cols, rows, ships, children }: ZoomProps) {
  const whole: Look = { x: cols / 2, y: rows / 2, zoom: 1 };
  const [look, setLook] = useState(whole);
  const [follow, setFollow] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const shown = follow ? lookAt(ships, cols, rows) : look;
  const window = windowOf(shown, cols, rows);

  const set = (next: Look) => {
    setFollow(false);
    const { x, y, width, height } = windowOf(next, cols, rows);
    setLook({ zoom: next.zoom, x: x + width / 2, y: y + height / 2 });
  };
  const tileAt = (clientX: number, clientY: number) => {
    const area = box.current!.getBoundingClientRect();
    return {
      x: window.x + ((clientX - area.left) / area.width) * window.width,
      y: window.y + ((clientY - area.top) / area.height) * window.height,
    };
  };
  const zoomBy = (factor: number, at = { x: shown.x, y: shown.y }) => set(zoomed(shown, factor, at));
  const panBy = (dx: number, dy: number) => set({ ...shown, x: shown.x + dx, y: shown.y + dy });

  const onWheel = useRef<(event: WheelEvent) => void>(() => {});
  onWheel.current = (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 400), tileAt(event.clientX, event.clientY));
  };
  useEffect(() => {
    const listener = (event: WheelEvent) => onWheel.current(event);
    box.current?.addEventListener("wheel", listener, { passive: false });
    return () => box.current?.removeEventListener("wheel", listener);
  }, []);

  function onPointerMove(event: PointerEvent) {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, now);
    if (other) {
      const apart = (p: { x: number; y: number }) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
      return zoomBy(apart(now) / apart(before), tileAt((now.x + other.x) / 2, (now.y + other.y) / 2));
    }
    if (shown.zoom <= 1) return;
    const area = box.current!.getBoundingClientRect();
    panBy(((before.x - now.x) / area.width) * window.width, ((before.y - now.y) / area.height) * window.height);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = window.width / 8;
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    };
    const pan = pans[event.key];
    if (pan && shown.zoom > 1) panBy(...pan);
    else if (event.key === "+" || event.key === "=") zoomBy(1.4);
    else if (event.key === "-") zoomBy(1 / 1.4);
    else if (event.key === "0") set(whole);
    else if (event.key.toLowerCase() === "f") setFollow(!follow);
    else return;
    event.preventDefault();
  }
  const release = (event: PointerEvent) => pointers.current.delete(event.pointerId);
  return (
    <div class="zoom-box">
      <div
        ref={box}
        class={`zoom-area ${shown.zoom > 1 ? "zoomed" : ""}`}
        role="group"
        aria-label="Chart. Plus and minus zoom, arrow keys move, 0 shows all, F follows the ships"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY })}
        onPointerMove={onPointerMove}
        onPointerUp={release}
        onPointerCancel={release}
        onPointerLeave={release}
      >
        {children(window, shown.zoom)}
      </div>
      <div class="zoom-tools">
        <button type="button" class="icon-button" aria-label="Zoom in" disabled={shown.zoom >= MOST} onClick={() => zoomBy(1.5)}>
          +
        </button>
        <button type="button" class="icon-button" aria-label="Zoom out" disabled={shown.zoom <= 1} onClick={() => zoomBy(1 / 1.5)}>
          −
        </button>
        <button type="button" class="button small" aria-pressed={follow} onClick={() => (follow ? set(whole) : setFollow(true))}>
          <Eye />
          <span>Follow</span>
        </button>
      </div>
    </div>
  );
}
