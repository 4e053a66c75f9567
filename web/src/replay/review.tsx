// The review of a game: accuracy, curves, and the moments that mattered, each to be tried again.
import { useEffect, useRef, useState } from "preact/hooks";
import { moduleOf } from "../games";
import { begin } from "../home/begin";
import { tokenOf } from "../prefs";
import { getReview, Refused, startReview } from "../rest";
import { capital } from "../room/words";
import { Choice } from "../ui/choice";
import { Curve } from "../ui/curve";
import { Again } from "../ui/icons";
import type { GameReplay, ReviewedMoveInfo, ReviewInfo, ReviewProgress, SeatReviewInfo } from "../wire";
import type { Source } from "./analysis";

const POLL_MS = 400;

export interface ReviewState {
  progress: ReviewProgress | null;
  problem: string | null;
}

/** Asks for the review once `on`, and how far it is until it is done. */
export function useReview(source: Source, on: boolean): ReviewState {
  const [progress, setProgress] = useState<ReviewProgress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const asked = useRef(false);
  const gone = useRef(false);
  useEffect(
    () => () => {
      gone.current = true;
    },
    [],
  );
  useEffect(() => {
    if (!on || asked.current) return;
    asked.current = true;
    const token = source.room ? tokenOf(source.room) : null;
    const follow = async () => {
      try {
        let now = await startReview(source, token);
        setProgress(now);
        while (!now.review && !now.problem && !gone.current) {
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
          now = await getReview(now.id).catch((error) => {
            // Of several servers, or after a restart, another one is asked: it begins or knows it too.
            if (error instanceof Refused && error.code === "not_found") return startReview(source, token);
            throw error;
          });
          setProgress(now);
        }
        setProblem(now.problem);
      } catch (error) {
        asked.current = false;
        setProblem(error instanceof Refused ? error.message : String(error));
      }
    };
    void follow();
  }, [on]);
  return { progress, problem };
}

export interface ReviewPanelProps {
  replay: GameReplay;
  source: Source;
  state: ReviewState;
  turn: number;
  jump: (turn: number) => void;
  nameOf: (seat: number) => string;
}

export function ReviewPanel({ replay, source, state, turn, jump, nameOf }: ReviewPanelProps) {
  const review = state.progress?.review ?? null;
  return (
    <section class="panel stack review" aria-label="Review" aria-live="polite">
      <h2>Review</h2>
      {review ? (
        <Found review={review} replay={replay} source={source} turn={turn} jump={jump} nameOf={nameOf} />
      ) : state.problem ? (
        <p class="trouble small note">{state.problem}</p>
      ) : (
        <Waiting progress={state.progress} />
      )}
    </section>
  );
}

function Waiting({ progress }: { progress: ReviewProgress | null }) {
  const { done, total } = progress ?? { done: 0, total: 0 };
  return (
    <>
      <progress max={Math.max(total, 1)} value={done} aria-label="Decisions reviewed" />
      <p class="soft small">{total ? `${done} of ${total} decisions` : "Starting…"}</p>
    </>
  );
}

type FoundProps = Omit<ReviewPanelProps, "state"> & { review: ReviewInfo };

function Found({ review, replay, source, turn, jump, nameOf }: FoundProps) {
  const [whose, setWhose] = useState("all");
  const chosen = review.seats.find((s) => String(s.seat) === whose);
  const moments = (chosen?.moments ?? review.moments).map((i) => review.moves[i]!);
  const now = review.moves.filter((m) => m.move === turn);
  const options: [string, string][] = [["all", "The game"], ...review.seats.map((s): [string, string] => [String(s.seat), capital(nameOf(s.seat))])];
  return (
    <>
      <ul class="plain-list">
        {review.seats.map((seat) => (
          <li key={seat.seat}>
            <span>{capital(nameOf(seat.seat))}</span>
            <span>
              <strong>{accuracyText(seat)}</strong> <span class="soft small">{sumText(review, seat)}</span>
            </span>
          </li>
        ))}
      </ul>
      {review.seats.map((seat) => (
        <SeatCurve key={seat.seat} review={review} seat={seat} label={`${capital(review.curve)}${review.seats.length > 1 ? `, ${nameOf(seat.seat)}` : ""}`} turn={turn} jump={jump} />
      ))}
      {now.map((move) => (
        <p key={move.seat} class="small">
          <span class="soft">Move {move.move}, {nameOf(move.seat)}:</span> {costText(review, move, words(replay))}
        </p>
      ))}
      <h3>Moments that mattered</h3>
      {review.seats.length > 1 && <Choice label="Moments of" value={whose} options={options} onChange={setWhose} />}
      {moments.length === 0 && <p class="soft small">No decision cost much.</p>}
      <ol class="plain-list moments">
        {moments.map((move) => (
          <li key={`${move.move} ${move.seat}`}>
            <button type="button" class="button small" onClick={() => jump(move.move - 1)}>
              Move {move.move}, {nameOf(move.seat)}
            </button>
            <span class="small">{costText(review, move, words(replay))}</span>
            {review.finished && (
              <button type="button" class="button small" onClick={() => void tryAgain(replay.game, source, move)}>
                <Again /> Try again from here
              </button>
            )}
          </li>
        ))}
      </ol>
      <p class="soft small">{review.about}</p>
    </>
  );
}

function SeatCurve(props: { review: ReviewInfo; seat: SeatReviewInfo; label: string; turn: number; jump: (turn: number) => void }) {
  const { review, seat, label } = props;
  if (seat.curve.length < 2) return null;
  const percent = isChance(review);
  const points = seat.curve.map(([m, v]): [number, number] => [m, percent ? 100 * v : v]);
  return (
    <Curve label={label} unit={percent ? "%" : review.unit} points={points} low={0} high={percent ? 100 : undefined} now={props.turn} onPick={props.jump} />
  );
}

const isChance = (review: ReviewInfo) => review.unit === "winning chance";

const words = (replay: GameReplay) => moduleOf(replay.game, undefined).inWords ?? ((action: string) => action);

export function accuracyText({ accuracy }: Pick<SeatReviewInfo, "accuracy">): string {
  return accuracy === null ? "–" : `${accuracy.toFixed(1)} %`;
}

/** An amount in the unit of a review, such as `12.5 %` or `0.42 shots`. */
export function amountText(review: Pick<ReviewInfo, "unit">, amount: number): string {
  return review.unit === "winning chance" ? `${(100 * amount).toFixed(1)} %` : `${amount.toFixed(2)} ${review.unit}`;
}

function sumText(review: ReviewInfo, seat: SeatReviewInfo): string {
  const luck = seat.luck === null ? "" : `, luck ${amountText(review, seat.luck)}`;
  return `${amountText(review, seat.cost)} lost${luck}`;
}

/** What was played, what was better, what it cost, and why. */
export function costText(review: Pick<ReviewInfo, "unit">, move: ReviewedMoveInfo, say: (action: string) => string): string {
  const lines = [
    ...(move.note ? [move.note] : []),
    ...(move.missed.length ? [`the win: ${move.missed.map(say).join(" ")}`] : []),
    ...(move.allowed.length ? [`the answer: ${move.allowed.map(say).join(" ")}`] : []),
    ...(move.missed.length || move.allowed.length ? [move.verified ? "verified" : "found by search, not verified"] : []),
  ];
  const why = lines.length ? ` (${lines.join("; ")})` : "";
  if (move.cost === 0) return `${say(move.played)} costs nothing${why}`;
  return `${say(move.played)} costs ${amountText(review, move.cost)}; better: ${say(move.best)}${why}`;
}

function tryAgain(game: string, source: Source, move: ReviewedMoveInfo): Promise<void> {
  return begin({ game, pace: 0.3, again: { ...source, move: move.move - 1, seat: move.seat } });
}
