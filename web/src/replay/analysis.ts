// What was thought: insights into positions of a replay, asked once each and kept.
import { useEffect, useRef, useState } from "preact/hooks";
import { analyse, Refused } from "../rest";
import type { GameReplay } from "../wire";
import { seatToJudge } from "./timeline";

export type Insights = ReadonlyMap<string, Record<string, unknown>>;
export const keyOf = (turn: number, seat: number) => `${turn} ${seat}`;

export interface Source {
  room: string | null;
  record: string | null;
}

export interface AnalysisState {
  insights: Insights;
  problem: string | null;
  /** Positions judged so far of a whole game's analysis, or null. */
  sweep: number | null;
  startSweep(): void;
  stopSweep(): void;
}

/** Asks for the shown position while `on`; a sweep asks for all positions, one after another. */
export function useAnalysis(source: Source, replay: GameReplay, turn: number, wished: number | null, on: boolean): AnalysisState {
  const [insights, setInsights] = useState<Insights>(new Map());
  const [problem, setProblem] = useState<string | null>(null);
  const [sweep, setSweep] = useState<number | null>(null);
  const asked = useRef(new Set<string>());
  const sweeping = useRef(false);

  async function ask(at: number, seconds: number): Promise<boolean> {
    const frame = replay.frames[at];
    const seat = frame ? seatToJudge(frame, wished) : null;
    if (seat === null) return true;
    const key = keyOf(at, seat);
    if (asked.current.has(key)) return true;
    asked.current.add(key);
    try {
      const { insight } = await analyse({ ...source, move: at, seat, kind: "insight", seconds });
      if (insight) setInsights((old) => new Map(old).set(key, insight));
      setProblem(null);
      return true;
    } catch (error) {
      asked.current.delete(key);
      if (error instanceof Refused && error.code === "no_insight") {
        asked.current.add(key);
        return true;
      }
      setProblem(error instanceof Refused ? error.message : String(error));
      return false;
    }
  }
  useEffect(() => {
    if (!on) return;
    // Wait a moment, so that running through a game does not ask about every position.
    const timer = setTimeout(() => void ask(turn, 1), 150);
    return () => clearTimeout(timer);
  }, [on, turn, wished]);
  useEffect(
    () => () => {
      sweeping.current = false;
    },
    [],
  );
  return {
    insights,
    problem,
    sweep,
    async startSweep() {
      sweeping.current = true;
      for (let at = 0; at < replay.frames.length && sweeping.current; at++) {
        setSweep(at);
        if (!(await ask(at, 0.3))) break;
      }
      sweeping.current = false;
      setSweep(null);
    },
    stopSweep() {
      sweeping.current = false;
      setSweep(null);
    },
  };
}
