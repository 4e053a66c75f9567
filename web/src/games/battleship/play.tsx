// Battleship at play: the enemy's waters, your own, the heatmap beside them on demand.
import { useEffect, useState } from "preact/hooks";
import { useQuestion } from "../../room/ask";
import { seatShown } from "../../room/state";
import { Prompt, Table } from "../../room/table";
import { seatName } from "../../room/words";
import { play } from "../../sound";
import { Curve } from "../../ui/curve";
import { Check, Dice } from "../../ui/icons";
import { useVoice } from "../../ui/voice";
import type { BattleshipView } from "../../wire";
import type { PlayProps } from "../module";
import { HeatChart, SeaChart } from "./board";
import { PlaceFleet } from "./place";
import { type Piece, piecesOf, textOf } from "./placing";
import { type BattleshipInsight, type Board, cellName } from "./sea";
import { ShipStatus } from "./status";

export function BattleshipPlay(props: PlayProps) {
  const { room } = props;
  const seat = seatShown(room);
  const state = seat === null ? undefined : room.position?.seats[seat];
  const view = (state?.view ?? room.position?.spectator) as BattleshipView;
  const [handed, setHanded] = useState(seat);
  const [seen, setSeen] = useState(true);
  const secret = room.seats.length > 1 && view.stage !== "over" && room.position?.status === "playing";
  useEffect(() => {
    if (handed !== seat) setSeen(false);
  }, [seat]);
  const before = handed === null ? undefined : (room.position?.seats[handed]?.view as BattleshipView | undefined);
  const fired = handed !== null && (before?.seas[targetOf(handed, before.seas.length)]?.shots.length ?? 0) > 0;
  if (secret && handed !== seat && !seen && before && fired) {
    const next = seatName(room.position, seat ?? 0);
    return <Firing {...props} seat={handed} view={before} handOver={{ name: next, go: () => setSeen(true) }} />;
  }
  if (secret && handed !== seat) {
    const name = seatName(room.position, seat ?? 0);
    const curtain = <Curtain name={name} open={() => setHanded(seat)} />;
    return <Table room={room} connection={props.connection} game={props.game} board={curtain} />;
  }
  if (view.stage === "placing") return <Placing {...props} seat={seat} />;
  return <Firing {...props} seat={seat} view={view} />;
}

/** Two at one screen must not see each other's waters. */
function Curtain({ name, open }: { name: string; open: () => void }) {
  return (
    <div class="curtain">
      <h2>Hand over to the {name}</h2>
      <button type="button" class="button primary large" onClick={open}>
        I am the {name}
      </button>
    </div>
  );
}

/** The sea that a seat fires at. */
export function targetOf(seat: number | null, seas: number): number {
  return seas === 1 ? 0 : 1 - (seat ?? 0);
}

function Placing({ room, connection, game, seat }: PlayProps & { seat: number | null }) {
  const boards = room.scene.boards as Board[];
  const board = boards[seat ?? 0]!;
  const state = seat === null ? undefined : room.position?.seats[seat];
  const [pieces, setPieces] = useState<Piece[]>([]);
  const text = textOf(pieces);
  const moves = room.position?.moves ?? 0;
  const preview = room.preview?.seat === seat ? room.preview : null;
  const problem = preview?.action === text ? preview.problem : null;

  const shuffle = () => {
    if (seat !== null) connection.send({ type: "preview", seat, action: null });
  };
  useEffect(() => {
    setPieces(state?.locked ? piecesOf(board, state.locked) : []);
    if (!state?.locked) shuffle();
  }, [seat]);
  useEffect(() => {
    if (preview?.drawn && preview.action) setPieces(piecesOf(board, preview.action));
  }, [preview?.id]);
  useEffect(() => {
    if (seat !== null && pieces.length > 0 && preview?.action !== text) {
      connection.send({ type: "preview", seat, action: text });
    }
  }, [text]);

  const ready = !state?.to_move;
  return (
    <Table
      room={room}
      connection={connection}
      game={game}
      board={
        seat === null ? (
          <SeaChart board={board} sea={{ fleet: null, shots: [], afloat: board.names }} label="Hidden board" />
        ) : (
          <PlaceFleet board={board} pieces={pieces} problem={problem} change={ready ? () => {} : setPieces} />
        )
      }
      action={
        seat !== null && (
          <div class="stack">
            <p class={problem ? "note small" : "small soft"} role="status">
              {ready
                ? "Your fleet is placed. Waiting for the other player."
                : (problem ?? "Drag ships to move them; tap a ship, or press R, to turn it.")}
            </p>
            <div class="row">
              <button
                type="button"
                class="button primary"
                disabled={ready || problem !== null || pieces.length === 0}
                onClick={() => connection.send({ type: "act", seat, action: text, moves })}
              >
                <Check /> Place the fleet here
              </button>
              <button type="button" class="button" disabled={ready} onClick={shuffle}>
                <Dice /> Random
              </button>
            </div>
          </div>
        )
      }
    />
  );
}

interface FiringProps extends PlayProps {
  seat: number | null;
  view: BattleshipView;
  /** At one screen: the shot is answered, and the other player is to move. */
  handOver?: { name: string; go: () => void };
}

function Firing({ room, connection, game, seat, view, handOver }: FiringProps) {
  const [heatOn, setHeat] = useState(false);
  const [chosen, setChosen] = useState<string[]>([]);
  const boards = room.scene.boards as Board[];
  const state = seat === null ? undefined : room.position?.seats[seat];
  const moves = room.position?.moves ?? 0;
  const aim = targetOf(seat, view.seas.length);
  const target = view.seas[aim]!;
  const entropy = useEntropy(room.insight?.moves, room.insight?.insight as BattleshipInsight | undefined);

  useShotSounds(view);
  useEffect(() => setChosen([]), [moves, seat]);
  useQuestion(room, connection, game, seat, heatOn);

  const salvo = room.info?.settings.salvo === true;
  const shots = room.preview?.seat === seat ? (room.preview.action.split("+").length ?? 1) : 1;
  useEffect(() => {
    // A salvo drawn at random tells how many shots this turn has.
    if (salvo && seat !== null && state?.to_move) connection.send({ type: "preview", seat, action: null });
  }, [salvo, seat, state?.to_move, moves]);
  const shot = new Set(target.shots.map((s) => cellName(s.cell as [number, number])));
  const open = (cell: string) => !!state?.to_move && !shot.has(cell);
  const fire = (cells: string[]) => {
    if (seat !== null) connection.send({ type: "act", seat, action: cells.join("+"), moves });
  };
  const pick = (cell: string) => {
    if (!salvo) return fire([cell]);
    setChosen(chosen.includes(cell) ? chosen.filter((c) => c !== cell) : [...chosen, cell].slice(-shots));
  };
  const voice = useVoice(heatOn ? (room.insight?.insight ?? null) : null, "exact");
  const insight = voice.insight as BattleshipInsight | null;
  const best = room.position?.status === "playing" ? (insight?.best ?? (heatOn ? (room.hint?.action ?? null) : null)) : null;
  const board = boards[aim]!;
  const twoTaps = matchMedia("(pointer: coarse)").matches && innerWidth / (board.cols + 2) < 30;
  const heatShown = heatOn && !!game?.insight;
  const two = seat === null && view.seas.length > 1;
  const shipsOf = (owner: number) => `Ships of the ${seatName(room.position, owner)}`;
  const details = (
    <>
      {heatShown && (
        <div class="stack heat-slot">
          <HeatChart board={board} heat={insight?.heat ?? null} best={best} sea={target} />
          <Curve label="Uncertainty about the fleet" unit="bits" points={entropy} now={moves} />
          <div class="voice-slot">{voice.picker}</div>
        </div>
      )}
      <div class="seas-status">
        <ShipStatus board={board} sea={target} title={two ? shipsOf(aim) : seat === null || view.seas.length === 1 ? "Ships" : "Enemy ships"} />
        {seat === null && view.seas.length > 1 && (
          <ShipStatus board={boards[1 - aim]!} sea={view.seas[1 - aim]!} title={shipsOf(1 - aim)} />
        )}
        {view.seas.length > 1 && seat !== null && (
          <div class="own-waters">
            <h2>Your board</h2>
            <SeaChart board={boards[seat]!} sea={view.seas[seat]!} label="Your board" />
          </div>
        )}
      </div>
    </>
  );
  return (
    <Table
      room={room}
      connection={connection}
      game={game}
      class="battleship-table"
      hints={{ on: heatOn, toggle: () => setHeat(!heatOn), label: game?.insight ? "Heatmap" : "Hint" }}
      board={
        <>
          <div class={`seas ${two ? "two" : ""}`}>
            <SeaChart
              board={board}
              sea={target}
              label={view.seas.length === 1 ? "Hidden board" : "Enemy board"}
              open={open}
              onPick={pick}
              chosen={chosen}
              best={best}
              twoTaps={twoTaps}
            />
            {seat === null && view.seas.length > 1 && (
              <SeaChart board={boards[1 - aim]!} sea={view.seas[1 - aim]!} label="Other board" />
            )}
          </div>
          {two && <div class="under-seas">{details}</div>}
        </>
      }
      action={
        handOver ? (
          <div class="row">
            <button type="button" class="button primary" onClick={handOver.go}>
              Hand over to the {handOver.name}
            </button>
          </div>
        ) : salvo && state?.to_move ? (
          <button type="button" class="button primary" disabled={chosen.length !== shots} onClick={() => fire(chosen)}>
            Fire the salvo: {chosen.length} of {shots}
          </button>
        ) : (
          state?.to_move && <Prompt twoTaps={twoTaps}>Fire at a cell of the {view.seas.length === 1 ? "hidden" : "enemy’s"} board.</Prompt>
        )
      }
      panel={!two && details}
    />
  );
}

/** How many bits were unknown after each move for which it was asked. */
function useEntropy(moves: number | undefined, insight: BattleshipInsight | undefined): [number, number][] {
  const [known, setKnown] = useState<[number, number][]>([]);
  useEffect(() => {
    const bits = insight?.entropy_bits;
    if (moves === undefined || bits === undefined) return;
    setKnown((old) => [...old.filter(([m]) => m !== moves), [moves, bits] as [number, number]].sort((a, b) => a[0] - b[0]));
  }, [moves, insight]);
  return known;
}

function useShotSounds(view: BattleshipView) {
  const fired = view.seas.map((sea) => sea.shots.length).reduce((a, b) => a + b, 0);
  const [heard, setHeard] = useState(fired);
  useEffect(() => {
    if (fired > heard) {
      const last = view.seas.flatMap((sea) => sea.shots.slice(-1).map((s) => s.result));
      play(last.includes("sunk") ? "sunk" : last.includes("hit") ? "hit" : "splash");
    }
    setHeard(fired);
  }, [fired]);
}
