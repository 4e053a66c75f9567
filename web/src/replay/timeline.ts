// A replay's stops: every position, and within Battle Navigation's turns every phase.
import type { Frame, GameReplay } from "../wire";

export interface Stop {
  /** Index of the frame. */
  turn: number;
  /** The phase just played, from 1; null where a move has no phases. */
  phase: number | null;
}

/** The phases that a frame's move was played in. */
export function phasesOf(frame: Frame): number {
  const view = Object.values(frame.views)[0] as { log?: unknown[] } | undefined;
  return Array.isArray(view?.log) ? view.log.length : 0;
}

export function stopsOf(replay: GameReplay): Stop[] {
  return replay.frames.flatMap((frame, turn): Stop[] => {
    const phases = phasesOf(frame);
    if (phases === 0) return [{ turn, phase: null }];
    return Array.from({ length: phases }, (_, i) => ({ turn, phase: i + 1 }));
  });
}

/** The stop that a link names; the last one where it names none. */
export function stopAt(stops: Stop[], turn: number | null, phase: number | null): number {
  if (turn === null) return stops.length - 1;
  const exact = stops.findIndex((s) => s.turn === turn && s.phase === phase);
  if (exact >= 0) return exact;
  const last = stops.findLastIndex((s) => s.turn <= turn);
  return Math.max(0, last);
}

/** Which seat's thought is asked for at a position: one that is to move there. */
export function seatToJudge(frame: Frame, wished: number | null): number | null {
  if (frame.to_move.length === 0) return null;
  return wished !== null && frame.to_move.includes(wished) ? wished : frame.to_move[0]!;
}

/** What a seat did next, as text. */
export function nextAction(replay: GameReplay, turn: number, seat: number | null): string | null {
  const actions = replay.frames[turn + 1]?.moved?.actions ?? [];
  return actions.find((d) => d.seat === seat)?.action ?? null;
}
