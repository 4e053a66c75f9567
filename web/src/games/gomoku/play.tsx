// Gomoku at play: the board, the hints, the evaluation bar, and the choices of swap2.
import { useEffect, useState } from "preact/hooks";
import { useQuestion } from "../../room/ask";
import { seatShown } from "../../room/state";
import { Prompt, Table } from "../../room/table";
import { capital } from "../../room/words";
import { play } from "../../sound";
import { useVoice } from "../../ui/voice";
import type { GomokuState } from "../../wire";
import type { PlayProps } from "../module";
import { GomokuBoard } from "./board";
import { EvaluationBar, Thought } from "./thought";
import { type GomokuInsight, readPoint } from "./position";

export function GomokuPlay({ room, connection, game }: PlayProps) {
  const [hints, setHints] = useState(false);
  const seat = seatShown(room);
  const state = seat === null ? undefined : room.position?.seats[seat];
  const view = (state?.view ?? room.position?.spectator) as GomokuState;
  const moves = room.position?.moves ?? 0;
  const legal = state?.to_move ? (state.legal ?? []) : [];
  const points = new Set(legal.filter((text) => readPoint(text)));
  const choices = legal.filter((text) => !readPoint(text));

  useEffect(() => {
    if (view.stones.length > 0) play("stone");
  }, [view.stones.length]);
  useQuestion(room, connection, game, seat, hints);

  const act = (action: string) => {
    if (seat !== null) connection.send({ type: "act", seat, action, moves });
  };
  const playing = room.position?.status === "playing";
  const voice = useVoice(hints && playing ? (room.insight?.insight ?? null) : null, "search");
  const insight = voice.insight as GomokuInsight | null;
  const hint = hints && playing ? (room.hint?.action ?? null) : null;
  const size = Number(room.info?.settings.size ?? 15);
  const twoTaps = matchMedia("(pointer: coarse)").matches && innerWidth / (size + 2) < 34;
  const colour = /^(black|white)$/.exec(room.position?.seat_names[seat ?? 0] ?? "")?.[0];
  return (
    <Table
      room={room}
      connection={connection}
      game={game}
      class="gomoku-table"
      hints={{ on: hints, toggle: () => setHints(!hints), label: "Hints" }}
      players={{ mark: (s) => <StoneMark name={room.position?.seat_names[s] ?? ""} seat={s} /> }}
      board={
        <GomokuBoard
          size={size}
          view={view}
          open={points}
          onPick={act}
          insight={insight}
          hint={hint}
          twoTaps={twoTaps}
        />
      }
      action={
        choices.length > 0 ? (
          <Choices choices={choices} act={act} />
        ) : (
          points.size > 0 && <Prompt twoTaps={twoTaps}>Put a {colour} stone on a free point.</Prompt>
        )
      }
      panel={
        hints && (
          <section class="panel stack thought">
            <EvaluationBar value={insight?.value ?? null} name={room.position?.seat_names[seat ?? 0] ?? ""} />
            {insight && <Thought insight={insight as Record<string, unknown>} next={null} />}
            {!insight && !hint && !voice.why && <p class="soft small">{!playing ? "The game is over: its review shows where it turned." : state?.to_move ? "Searching…" : "It is not your turn."}</p>}
            {hint && !insight && <p>The agent would play {hint}.</p>}
            {voice.picker}
          </section>
        )
      }
    />
  );
}

function Choices({ choices, act }: { choices: string[]; act: (choice: string) => void }) {
  const words: Record<string, string> = { more: "Place two more", black: "Play black", white: "Play white" };
  return (
    <div class="row">
      {choices.map((choice) => (
        <button type="button" class="button primary" onClick={() => act(choice)}>
          {words[choice] ?? capital(choice)}
        </button>
      ))}
    </div>
  );
}

function StoneMark({ name, seat }: { name: string; seat: number }) {
  const colour = /white|black/.exec(name)?.[0] ?? (seat === 0 ? "black" : "white");
  return (
    <svg viewBox="0 0 1 1" aria-hidden="true">
      <circle class={`stone ${colour}`} cx="0.5" cy="0.5" r="0.42" />
    </svg>
  );
}
