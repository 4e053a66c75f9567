// What stands still on a map: rocks, winds, whirlpools.
import type { NavigationHazard, NavigationRock, NavigationSeaMap } from "../../wire";
import { Chart, Lattice } from "../../ui/chart";
import { memo } from "../../ui/memo";
import { headingOf } from "./playback";
import type { ChartWindow } from "./zoom";

export function colName(col: number): string {
  return String.fromCharCode(97 + col);
}

export interface SeaMapProps {
  map: NavigationSeaMap;
  label: string;
  class?: string;
  over?: preact.ComponentChildren;
  window?: ChartWindow;
  children?: preact.ComponentChildren;
}

export function SeaMapChart({ map, label, over, window, children, ...rest }: SeaMapProps) {
  return (
    <Chart
      class={`navigation ${rest.class ?? ""}`}
      cols={map.width}
      rows={map.height}
      colName={colName}
      rowName={(row) => String(row + 1)}
      label={label}
      over={over}
      window={window}
    >
      <Features map={map} />
      {children}
    </Chart>
  );
}

/** All that does not move; drawn once for a map. */
export const Features = memo(function Features({ map }: { map: NavigationSeaMap }) {
  return (
    <g aria-hidden="true">
      <Shallows map={map} />
      <Lattice cols={map.width} rows={map.height} />
      <CompassRose x={map.width / 2} y={map.height / 2} />
      {map.hazards?.map((hazard) => (
        <HazardMark key={`${hazard.x},${hazard.y}`} hazard={hazard} />
      ))}
      {map.rocks?.map((rock) => (
        <RockMark key={`${rock.x},${rock.y}`} rock={rock} />
      ))}
    </g>
  );
});

/** Pale water around rocks, as charts show depth. */
function Shallows({ map }: { map: NavigationSeaMap }) {
  return (
    <g class="shallows">
      {map.rocks?.map((rock) => (
        <circle cx={rock.x + 0.5} cy={rock.y + 0.5} r={rock.size === "large" ? 1.05 : 0.62} />
      ))}
    </g>
  );
}

function CompassRose({ x, y }: { x: number; y: number }) {
  const points = Array.from({ length: 16 }, (_, i) => {
    const long = i % 4 === 0 ? 3.2 : i % 2 === 0 ? 2.2 : 1.4;
    return `M${x} ${y}L${x + long * Math.sin((i * Math.PI) / 8)} ${y - long * Math.cos((i * Math.PI) / 8)}`;
  }).join("");
  return (
    <g class="rose">
      <circle cx={x} cy={y} r={2.2} />
      <circle cx={x} cy={y} r={2.5} />
      <path d={points} />
    </g>
  );
}

export function HazardMark({ hazard }: { hazard: NavigationHazard }) {
  if (hazard.kind === "wind") {
    return (
      <g class="wind" transform={`translate(${hazard.x + 0.5} ${hazard.y + 0.5}) rotate(${headingOf(hazard.way)})`}>
        <rect x={-0.46} y={-0.46} width={0.92} height={0.92} rx={0.14} />
        <path d="M-0.200 0.340V-0.150M0.200 0.340V-0.150M0 0.360V-0.340M-0.180 -0.140L0 -0.340L0.180 -0.140" />
      </g>
    );
  }
  const spin = hazard.way === "clockwise" ? 1 : -1;
  return (
    <g transform={`translate(${hazard.x + 1} ${hazard.y + 1}) scale(${spin} 1)`}>
      <g class="whirlpool">
        <circle r={0.96} />
        {[0, 120, 240].map((turn) => (
          <path transform={`rotate(${turn})`} d="M0 -0.120C0.300 -0.200 0.560 0.050 0.460 0.380C0.360 0.720 -0.050 0.880 -0.400 0.740" />
        ))}
      </g>
    </g>
  );
}

const OUTLINES = [
  "M-0.380 0.100L-0.300 -0.240L-0.020 -0.400L0.280 -0.280L0.400 0.040L0.260 0.340L-0.120 0.400Z",
  "M-0.400 -0.060L-0.180 -0.380L0.160 -0.340L0.400 -0.080L0.320 0.280L0.020 0.420L-0.300 0.320Z",
  "M-0.340 -0.280L0.040 -0.420L0.360 -0.200L0.380 0.160L0.120 0.400L-0.240 0.360L-0.420 0.060Z",
];

export function RockMark({ rock }: { rock: NavigationRock }) {
  const outline = OUTLINES[(rock.x * 7 + rock.y * 13) % OUTLINES.length]!;
  const large = rock.size === "large";
  return (
    <g class={`rock ${rock.size}`} transform={`translate(${rock.x + 0.5} ${rock.y + 0.5}) rotate(${((rock.x + rock.y) % 4) * 90})`}>
      <path transform={`scale(${large ? 1.22 : 0.62})`} d={outline} />
      {large && <path class="contour" transform="scale(0.72)" d={outline} />}
      {large && <path class="contour" transform="scale(0.34)" d={outline} />}
    </g>
  );
}
