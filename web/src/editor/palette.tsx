// The editor's tools, each shown as what it draws.
import type { ComponentChildren } from "preact";
import { HazardMark, RockMark } from "../games/navigation/map";
import { hullPath } from "../games/navigation/arena";
import { Cross } from "../ui/icons";
import type { Tool } from "./draw";

const TOOLS: [Tool, string, () => ComponentChildren][] = [
  ["rock small", "Small rock", () => <RockMark rock={{ x: 0, y: 0, size: "small" }} />],
  ["rock large", "Large rock", () => <RockMark rock={{ x: 0, y: 0, size: "large" }} />],
  ["wind N", "Wind to the north", () => <HazardMark hazard={{ kind: "wind", x: 0, y: 0, way: "N" }} />],
  ["wind E", "Wind to the east", () => <HazardMark hazard={{ kind: "wind", x: 0, y: 0, way: "E" }} />],
  ["wind S", "Wind to the south", () => <HazardMark hazard={{ kind: "wind", x: 0, y: 0, way: "S" }} />],
  ["wind W", "Wind to the west", () => <HazardMark hazard={{ kind: "wind", x: 0, y: 0, way: "W" }} />],
  ["whirlpool clockwise", "Whirlpool, clockwise", () => <Pool way="clockwise" />],
  ["whirlpool counterclockwise", "Whirlpool, counterclockwise", () => <Pool way="counterclockwise" />],
  ["spawn 0", "First ship: click to place it, again to turn it", () => <Spawn seat={0} />],
  ["spawn 1", "Second ship: click to place it, again to turn it", () => <Spawn seat={1} />],
];

export function Palette({ tool, onChange }: { tool: Tool; onChange: (tool: Tool) => void }) {
  const items = [...TOOLS.map(([t]) => t), "erase" as Tool];
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = items[(items.indexOf(tool) + step + items.length) % items.length]!;
    onChange(next);
    (event.currentTarget as Element).querySelector<HTMLElement>(`[data-tool="${next}"]`)?.focus();
  }
  const button = (name: Tool, label: string, picture: ComponentChildren) => (
    <button
      key={name}
      type="button"
      role="radio"
      class="tool"
      data-tool={name}
      aria-checked={tool === name}
      aria-label={label}
      title={label}
      tabIndex={tool === name ? 0 : -1}
      onClick={() => onChange(name)}
    >
      {picture}
    </button>
  );
  return (
    <div class="palette navigation" role="radiogroup" aria-label="Tools" onKeyDown={onKeyDown}>
      {TOOLS.map(([name, label, picture]) => button(name, label, <svg viewBox="-0.1 -0.1 1.2 1.2" aria-hidden="true">{picture()}</svg>))}
      {button("erase", "Erase", <Cross />)}
    </div>
  );
}

function Pool({ way }: { way: string }) {
  return (
    <g transform="scale(0.5)">
      <HazardMark hazard={{ kind: "whirlpool", x: 0, y: 0, way }} />
    </g>
  );
}

function Spawn({ seat }: { seat: number }) {
  return (
    <g class={`ship side-${seat}`} transform="translate(0.5 0.5)">
      <path class="hull" d={hullPath("war_brig")} />
    </g>
  );
}
