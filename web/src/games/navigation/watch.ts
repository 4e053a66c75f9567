// Playback: a clock that runs through a turn's phases, at a chosen speed, from any place.
import { useEffect, useRef, useState } from "preact/hooks";
import { prefs, reducedMotion } from "../../prefs";
import { play } from "../../sound";
import { useStore } from "../../store";
import type { NavigationPhaseEntry, NavigationShip } from "../../wire";
import { type Moment, momentAt, stillMoment } from "./playback";

/** Seconds that a phase takes at normal speed. */
export const PHASE_SECONDS = 1.35;
export const SPEEDS = [1, 2, 4] as const;

export interface Playback {
  moment: Moment;
  /** Phases played so far; null when nothing is being played. */
  at: number | null;
  running: boolean;
  start(from?: number): void;
  stop(): void;
}

export interface Film {
  /** Changes when another turn is to be shown. */
  key: string;
  log: readonly NavigationPhaseEntry[];
  ships: readonly NavigationShip[];
  /** Hit points before the turn. */
  hp: readonly number[];
}

/** Plays the film once whenever `auto` holds and its key changes. */
export function usePlayback(film: Film, auto: boolean): Playback {
  const { speed } = useStore(prefs);
  const [known, setAt] = useState<number | null>(null);
  const [running, setRunning] = useState(false);
  const seen = useRef(film.key);
  const pace = useRef(speed);
  pace.current = speed;
  const rolling = useRef(false);

  const start = (from = 0) => {
    if (film.log.length === 0) return;
    rolling.current = true;
    setAt(from);
    setRunning(true);
  };
  const stop = () => {
    rolling.current = false;
    setAt(null);
    setRunning(false);
  };
  let at = known;
  if (seen.current !== film.key) {
    // In the same drawing, so that the ships never flash at their places after the turn.
    seen.current = film.key;
    if (auto && film.log.length > 0) start();
    else stop();
    at = auto && film.log.length > 0 ? 0 : null;
  }
  useEffect(() => {
    if (!running) return;
    let last = performance.now();
    let frame = 0;
    let now = at ?? 0;
    let heard = Math.floor(now) - 1;
    const tick = (time: number) => {
      // Stopped since the last frame: the effect's own end comes a little later.
      if (!rolling.current) return;
      const rate = (pace.current * (reducedMotion() ? 3 : 1)) / PHASE_SECONDS;
      // A frame's time may lie a little before the moment at which it was asked for.
      now += Math.max(0, (time - last) / 1000) * rate;
      last = time;
      if (now >= film.log.length) return stop();
      const phase = Math.floor(now);
      if (now - phase > 0.55 && heard < phase) {
        heard = phase;
        sounds(film.log[phase]!);
      }
      setAt(reducedMotion() ? phase + 0.999 : now);
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [running, film.key]);

  const moment = at === null ? stillMoment(film.ships) : momentAt(film.log, at, film.hp);
  return { moment, at, running, start, stop };
}

function sounds(entry: NavigationPhaseEntry): void {
  if (entry.hazards.some(Boolean)) play("wind");
  for (const event of entry.events) {
    if (event.kind === "shot") {
      play("cannon");
      setTimeout(() => play(event.target === null ? "splash" : "hit"), 380);
    } else if (event.kind === "grapple") play("grapple");
  }
}
