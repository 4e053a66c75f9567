// Any game at play, from the pictures and the legal actions that the server sends.
import { useEffect, useState } from "preact/hooks";
import { useQuestion } from "../../room/ask";
import { seatShown } from "../../room/state";
import { Table } from "../../room/table";
import { play } from "../../sound";
import type { PlayProps } from "../module";
import { actionsBesideBoard } from "./actions";
import { GenericBoard } from "./board";
import { Move } from "./move";

export function GenericPlay({ room, connection, game }: PlayProps) {
  const [hints, setHints] = useState(false);
  const [several, setSeveral] = useState<string[]>([]);
  const seat = seatShown(room);
  const state = seat === null ? undefined : room.position?.seats[seat];
  const picture = state?.picture ?? room.position?.picture ?? null;
  const moves = room.position?.moves ?? 0;
  const legal = state?.to_move ? (state.legal ?? []) : [];
  const offered = several.length > 0 ? several : actionsBesideBoard(picture?.board ?? null, legal);
  // A game is asked for a hint here: the words of an insight are the game's own.
  useQuestion(room, connection, game && { ...game, insight: false }, seat, hints);
  useEffect(() => {
    setSeveral([]);
    if (moves > 0) play("stone");
  }, [moves]);

  const act = (action: string) => {
    if (seat !== null) connection.send({ type: "act", seat, action, moves });
  };
  const hint = hints ? (room.hint?.action ?? null) : null;
  return (
    <Table
      room={room}
      connection={connection}
      game={game}
      class="generic-table"
      hints={{ on: hints, toggle: () => setHints(!hints), label: "Hints" }}
      players={{ mark: (s) => <SeatMark seat={s} /> }}
      board={
        <GenericBoard
          picture={picture}
          legal={legal}
          hint={hint}
          onPick={(actions) => (actions.length === 1 ? act(actions[0]!) : setSeveral(actions))}
        />
      }
      action={state?.to_move && <Move key={moves} offered={state.legal ? offered : null} typing={game?.typing ?? ""} act={act} />}
      panel={hints && <p class="panel small">{hintWords(hint, room.hint?.agent ?? "", state?.to_move ?? false)}</p>}
    />
  );
}

function hintWords(hint: string | null, agent: string, acting: boolean): string {
  if (hint) return `${agent} would play ${hint}.`;
  return acting ? "Asking for a hint…" : "Hints are given when it is your turn.";
}

export function SeatMark({ seat }: { seat: number }) {
  return (
    <svg viewBox="0 0 1 1" class="generic" aria-hidden="true">
      <circle class={`piece seat-${seat % 4}`} cx="0.5" cy="0.5" r="0.42" />
    </svg>
  );
}
