// The module of every game that has none of its own: drawn from what the server sends.
import { useEffect, useState } from "preact/hooks";
import { checkSettings } from "../../rest";
import { capital } from "../../room/words";
import type { GameInfo, ViewPicture } from "../../wire";
import type { GameModule, PictureProps } from "../module";
import { titleOfName } from "./actions";
import { GenericBoard } from "./board";
import { GenericPlay } from "./play";
import { Setup } from "./setup";

function ReplayPicture({ picture }: PictureProps) {
  return <GenericBoard picture={picture} />;
}

/** The start of a game with these settings. */
function Poster({ game, settings }: { game: string; settings: Record<string, unknown> }) {
  const [picture, setPicture] = useState<ViewPicture | null>(null);
  useEffect(() => {
    let wanted = true;
    checkSettings(game, { settings }).then(
      (checked) => wanted && checked.picture && setPicture(checked.picture),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [game, JSON.stringify(settings)]);
  return picture && <GenericBoard picture={picture} still />;
}

const PIECES = [[2, 4], [3, 4], [3, 3], [4, 4], [5, 4], [4, 3], [4, 2], [6, 4], [5, 3]];

/** A few pieces on a grid. */
function Mini() {
  let d = "";
  for (let i = -3; i < 15; i++) d += `M-3 ${i}H15M${i} -3V12`;
  return (
    <svg viewBox="-2.5 0 14 8.75" preserveAspectRatio="xMidYMid slice" class="mini generic" aria-hidden="true">
      <rect class="sea" x="-4" y="-3" width="20" height="16" />
      <path class="lattice" d={d} fill="none" />
      {PIECES.map(([x, y], i) => (
        <circle class={`piece seat-${i % 2}`} cx={x! + 0.5} cy={y! + 0.5} r={0.4} />
      ))}
    </svg>
  );
}

/** Numbers of an insight, whatever they mean. */
function Thought({ insight }: { insight: Record<string, unknown> }) {
  const plain = Object.entries(insight).filter(([, value]) => ["number", "string"].includes(typeof value));
  return (
    <dl class="small">
      {plain.map(([name, value]) => (
        <div class="row spread" key={name}>
          <dt class="soft">{name.replaceAll("_", " ")}</dt>
          <dd>{typeof value === "number" ? Number(value.toPrecision(3)) : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function genericModule(name: string, info: GameInfo | undefined): GameModule {
  return {
    title: titleOfName(name),
    pitch: info ? `${capital(info.summary)}.` : "",
    hard: "Installed game",
    Mini,
    Play: GenericPlay,
    Picture: ReplayPicture,
    Thought,
    thinker: info?.opponent ?? "",
    Setup,
    Poster,
    pace: 0.6,
    quick: info?.versus ? { variant: info.versus } : {},
  };
}
