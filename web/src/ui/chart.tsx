// The board of every game as a nautical chart: water inside a neat line with a scale, and cells
// that mouse, finger, keyboard and screen reader all reach.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

/** Width of the margin around the cells, in cells. */
export const MARGIN = 1.05;

export interface ChartProps {
  cols: number;
  rows: number;
  colName: (col: number) => string;
  rowName: (row: number) => string;
  label: string;
  class?: string;
  children: ComponentChildren;
  /** Laid over the drawing, exactly over its cells. */
  over?: ComponentChildren;
  /** The part that is shown; without it, the whole chart. */
  window?: { x: number; y: number; width: number; height: number };
}

export function Chart(props: ChartProps) {
  const { cols, rows, window: shown } = props;
  const width = cols + 2 * MARGIN;
  const height = rows + 2 * MARGIN;
  const inset = {
    left: `${(100 * MARGIN) / width}%`,
    right: `${(100 * MARGIN) / width}%`,
    top: `${(100 * MARGIN) / height}%`,
    bottom: `${(100 * MARGIN) / height}%`,
  };
  return (
    <div
      class={`chart ${props.class ?? ""}`}
      style={{ "--unit": (width / 58).toFixed(3), aspectRatio: `${width} / ${height}` }}
    >
      <svg viewBox={shown ? `${shown.x} ${shown.y} ${shown.width} ${shown.height}` : `${-MARGIN} ${-MARGIN} ${width} ${height}`} role="img" aria-label={props.label}>
        <Frame {...props} />
        {props.children}
      </svg>
      {props.over && (
        <div class="over" style={inset}>
          {props.over}
        </div>
      )}
    </div>
  );
}

const BAND = 0.16;

function Frame({ cols, rows, colName, rowName }: ChartProps) {
  const marks = [];
  for (let c = 0; c < cols; c++) {
    const dark = c % 2 === 0 ? "scale dark" : "scale";
    marks.push(<rect class={dark} x={c} y={-BAND} width={1} height={BAND} />);
    marks.push(<rect class={dark} x={c} y={rows} width={1} height={BAND} />);
    marks.push(<text class="coordinate" x={c + 0.5} y={-0.52}>{colName(c)}</text>);
    marks.push(<text class="coordinate" x={c + 0.5} y={rows + 0.6}>{colName(c)}</text>);
  }
  for (let r = 0; r < rows; r++) {
    const dark = r % 2 === 0 ? "scale dark" : "scale";
    marks.push(<rect class={dark} x={-BAND} y={r} width={BAND} height={1} />);
    marks.push(<rect class={dark} x={cols} y={r} width={BAND} height={1} />);
    marks.push(<text class="coordinate" x={-0.58} y={r + 0.5}>{rowName(r)}</text>);
    marks.push(<text class="coordinate" x={cols + 0.58} y={r + 0.5}>{rowName(r)}</text>);
  }
  return (
    <g aria-hidden="true">
      <rect class="sea" x={0} y={0} width={cols} height={rows} />
      {marks}
      <rect class="neatline" x={-BAND} y={-BAND} width={cols + 2 * BAND} height={rows + 2 * BAND} />
      <rect class="neatline" x={0} y={0} width={cols} height={rows} />
    </g>
  );
}

/** The lines between cells. */
export function Lattice({ cols, rows }: { cols: number; rows: number }) {
  let d = "";
  for (let c = 1; c < cols; c++) d += `M${c} 0V${rows}`;
  for (let r = 1; r < rows; r++) d += `M0 ${r}H${cols}`;
  return <path class="lattice" d={d} />;
}

export interface CellsProps {
  cols: number;
  rows: number;
  label: string;
  /** What a screen reader says of a cell. */
  name: (row: number, col: number) => string;
  onPick: (row: number, col: number) => void;
  onAim?: (cell: [number, number] | null) => void;
  /** Called for cells that a pressed pointer passes over. */
  onSweep?: (row: number, col: number) => void;
  open: (row: number, col: number) => boolean;
  start?: [number, number];
  onKey?: (event: KeyboardEvent) => boolean;
}

/** Invisible cells over a chart, one of which holds the keyboard's focus. */
export function Cells(props: CellsProps) {
  const { cols, rows } = props;
  const grid = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(props.start ?? [Math.floor(rows / 2), Math.floor(cols / 2)]);
  const row = Math.min(at[0] ?? 0, rows - 1);
  const col = Math.min(at[1] ?? 0, cols - 1);

  function focus(r: number, c: number) {
    setAt([r, c]);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${r},${c}"]`)?.focus();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (props.onKey?.(event)) return event.preventDefault();
    const step: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      Home: [0, -cols],
      End: [0, cols],
      PageUp: [-rows, 0],
      PageDown: [rows, 0],
    };
    const by = step[event.key];
    if (!by) return;
    event.preventDefault();
    const clamp = (value: number, most: number) => Math.max(0, Math.min(most - 1, value));
    focus(clamp(row + by[0], rows), clamp(col + by[1], cols));
  }
  function cellOf(event: Event): [number, number] | null {
    const cell = (event.target as Element).closest<HTMLElement>("[data-cell]");
    const [r, c] = cell?.dataset.cell?.split(",").map(Number) ?? [];
    return r === undefined || c === undefined ? null : [r, c];
  }
  return (
    <div
      ref={grid}
      class="cells"
      role="grid"
      aria-label={props.label}
      style={{ gridTemplate: `repeat(${rows}, 1fr) / repeat(${cols}, 1fr)` }}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        const cell = cellOf(event);
        if (!props.onSweep || !cell || event.button !== 0) return;
        // A finger would otherwise stay with the cell where it came down.
        const pressed = event.target as Element;
        if (pressed.hasPointerCapture(event.pointerId)) pressed.releasePointerCapture(event.pointerId);
        setAt(cell);
        props.onSweep(...cell);
      }}
      onClick={(event) => {
        const cell = cellOf(event);
        // A sweep has drawn this cell already when its pointer came down; keys have no pointer.
        if (!cell || (props.onSweep && event.detail > 0)) return;
        setAt(cell);
        if (props.open(...cell)) props.onPick(...cell);
      }}
      onPointerOver={(event) => {
        const cell = cellOf(event);
        props.onAim?.(cell && props.open(...cell) ? cell : null);
        if (cell && event.buttons === 1) props.onSweep?.(...cell);
      }}
      onPointerLeave={() => props.onAim?.(null)}
      onFocusIn={(event) => {
        const cell = cellOf(event);
        const seen = (event.target as Element).matches(":focus-visible");
        if (cell && seen) props.onAim?.(props.open(...cell) ? cell : null);
      }}
      onFocusOut={() => props.onAim?.(null)}
    >
      {Array.from({ length: rows }, (_, r) => (
        <div role="row" key={r}>
          {Array.from({ length: cols }, (_, c) => (
            <button
              key={c}
              type="button"
              role="gridcell"
              data-cell={`${r},${c}`}
              tabIndex={r === row && c === col ? 0 : -1}
              aria-label={props.name(r, c)}
              aria-disabled={!props.open(r, c)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}
