// The home page's picture of Battle Navigation: two ships about to meet.
import type { NavigationSeaMap } from "../../wire";
import { hullPath, sailsOf } from "./arena";
import { HazardMark, RockMark } from "./map";

const MAP: Pick<NavigationSeaMap, "hazards" | "rocks"> = {
  rocks: [
    { x: 2, y: 1, size: "large" },
    { x: 11, y: 6, size: "large" },
    { x: 8, y: 1, size: "small" },
    { x: 5, y: 7, size: "small" },
  ],
  hazards: [
    { kind: "wind", x: 4, y: 3, way: "E" },
    { kind: "wind", x: 5, y: 3, way: "E" },
    { kind: "wind", x: 6, y: 3, way: "E" },
    { kind: "whirlpool", x: 10, y: 2, way: "clockwise" },
  ],
};

export function NavigationMini() {
  let d = "";
  for (let i = 1; i < 14; i++) d += `M${i} 0V9`;
  for (let i = 1; i < 9; i++) d += `M0 ${i}H14`;
  return (
    <svg viewBox="0 0 14 8.75" preserveAspectRatio="xMidYMid slice" class="mini navigation" aria-hidden="true">
      <rect class="sea" width="14" height="9" />
      <g class="shallows">
        {MAP.rocks!.map((rock) => (
          <circle cx={rock.x + 0.5} cy={rock.y + 0.5} r={rock.size === "large" ? 1.05 : 0.62} />
        ))}
      </g>
      <path class="lattice" d={d} />
      {MAP.hazards!.map((hazard) => (
        <HazardMark hazard={hazard} />
      ))}
      {MAP.rocks!.map((rock) => (
        <RockMark rock={rock} />
      ))}
      <g class="ghost side-0">
        <path class="track" d="M3.500 5.500H4.500Q6.500 5.500 6.500 4.500" />
      </g>
      <Ship x={3.5} y={5.5} heading={90} seat={0} type="cutter" />
      <g class="ball">
        <line x1={8.6} y1={4.5} x2={7.6} y2={4.5} />
        <circle cx={7.5} cy={4.5} r={0.13} />
      </g>
      <Ship x={9.5} y={4.5} heading={0} seat={1} type="war_brig" />
    </svg>
  );
}

function Ship({ x, y, heading, seat, type }: { x: number; y: number; heading: number; seat: number; type: string }) {
  return (
    <g class={`ship side-${seat}`} transform={`translate(${x} ${y}) rotate(${heading}) scale(1.5)`}>
      <path class="hull" d={hullPath(type)} />
      {sailsOf(type).map((at) => (
        <path class="sail" d={`M-0.200 ${at + 0.02}Q0 ${at - 0.13} 0.200 ${at + 0.02}`} />
      ))}
    </g>
  );
}
