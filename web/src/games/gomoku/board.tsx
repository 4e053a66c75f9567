// A Gomoku board: stones on the crossings of a chart's lines.
import { useState } from "preact/hooks";
import type { GomokuState } from "../../wire";
import { Cells, Chart } from "../../ui/chart";
import { useTwoTaps } from "../../ui/two-taps";
import { colourOf, type GomokuInsight, type Point, pointName, readPoint, starPoints, winningEnds } from "./position";

export interface GomokuBoardProps {
  size: number;
  view: GomokuState;
  /** Points that the player may pick; empty: none. */
  open?: Set<string>;
  onPick?: (point: string) => void;
  insight?: GomokuInsight | null;
  hint?: string | null;
  numbers?: boolean;
  /** Where a first tap only aims, because the cells are smaller than a finger. */
  twoTaps?: boolean;
}

export function GomokuBoard(props: GomokuBoardProps) {
  const { size, view, open } = props;
  const [aim, setAim] = useState<Point | null>(null);
  const { marked, tap } = useTwoTaps(!!props.twoTaps, "Tap the same point again to put a stone there.", (point) => props.onPick?.(point));
  const next = colourOf(view.stones.length);
  const at = ([row, col]: Point) => ({ x: col + 0.5, y: size - 1 - row + 0.5 });
  const ghost = marked && open?.has(marked) ? readPoint(marked) : aim;
  const stones = new Map(view.stones.map((p, i) => [pointName(p as Point), i]));

  const over = props.onPick && (
    <Cells
      cols={size}
      rows={size}
      label="Board"
      name={(row, col) => {
        const name = pointName([size - 1 - row, col]);
        const stone = stones.get(name);
        return stone === undefined ? name : `${name} ${colourOf(stone)}`;
      }}
      open={(row, col) => open?.has(pointName([size - 1 - row, col])) ?? false}
      onPick={(row, col) => tap(pointName([size - 1 - row, col]))}
      onAim={(cell) => setAim(cell && [size - 1 - cell[0], cell[1]])}
    />
  );
  const last = view.stones.at(-1) as Point | undefined;
  const ends = winningEnds(view);
  return (
    <Chart
      class="gomoku"
      cols={size}
      rows={size}
      colName={(col) => String.fromCharCode(97 + col)}
      rowName={(row) => String(size - row)}
      label={describe(view)}
      over={over}
    >
      <Lines size={size} />
      {view.stones.map((point, i) => (
        <Stone key={i} {...at(point as Point)} colour={colourOf(i)} fresh={i === view.stones.length - 1} />
      ))}
      {props.numbers &&
        view.stones.map((point, i) => (
          <text class={`move-number on-${colourOf(i)}`} {...at(point as Point)}>
            {i + 1}
          </text>
        ))}
      {last && !props.numbers && <circle class="last-mark" cx={at(last).x} cy={at(last).y} r={0.17} />}
      {ends && (
        <line class="five" x1={at(ends[0]).x} y1={at(ends[0]).y} x2={at(ends[1]).x} y2={at(ends[1]).y} />
      )}
      <Hints insight={props.insight ?? null} hint={props.hint ?? null} stones={stones} at={at} />
      {ghost && open && open.size > 0 && (
        <g>
          <circle class={`stone ghost ${next}`} cx={at(ghost).x} cy={at(ghost).y} r={0.43} />
          {marked && <circle class="aim" cx={at(ghost).x} cy={at(ghost).y} r={0.62} />}
        </g>
      )}
    </Chart>
  );
}

function Lines({ size }: { size: number }) {
  let d = "";
  for (let i = 0; i < size; i++) d += `M0.5 ${i + 0.5}H${size - 0.5}M${i + 0.5} 0.5V${size - 0.5}`;
  return (
    <g aria-hidden="true">
      <path class="grid-line" d={d} />
      {starPoints(size).map(([row, col]) => (
        <circle class="star" cx={col + 0.5} cy={row + 0.5} r={0.1} />
      ))}
    </g>
  );
}

function Stone({ x, y, colour, fresh }: { x: number; y: number; colour: string; fresh: boolean }) {
  return <circle class={`stone ${colour} ${fresh ? "fresh" : ""}`} cx={x} cy={y} r={0.43} />;
}

interface HintsProps {
  insight: GomokuInsight | null;
  hint: string | null;
  stones: Map<string, number>;
  at: (point: Point) => { x: number; y: number };
}

function Hints({ insight, hint, stones, at }: HintsProps) {
  const moves = insight?.moves ?? (hint ? [{ action: hint, value: null }] : []);
  return (
    <g>
      {moves.slice(0, 8).map(({ action, value }, i) => {
        const point = readPoint(action);
        if (!point || stones.has(action)) return null;
        const { x, y } = at(point);
        return (
          <g class={i === 0 ? "hint best" : "hint"} key={action}>
            <circle cx={x} cy={y} r={0.4} fill-opacity={i === 0 ? 1 : 0.42 - 0.045 * i} />
            <text x={x} y={y}>{value === null ? "★" : percent(value)}</text>
          </g>
        );
      })}
    </g>
  );
}

/** A value from -1 to 1 as the chance that players understand. */
export function percent(value: number): string {
  return `${Math.round(50 + 50 * value)}`;
}

function describe(view: GomokuState): string {
  const stones = view.stones.length;
  const last = view.stones.at(-1) as Point | undefined;
  if (!last) return "An empty Gomoku board";
  return `Gomoku board with ${stones} stones, the last at ${pointName(last)}`;
}
