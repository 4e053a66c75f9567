// The replay's clock: which stop is shown, how far its motion has come, and what moves it.
import { useEffect, useRef, useState } from "preact/hooks";
import { prefs, reducedMotion } from "../prefs";
import { useStore } from "../store";

/** Seconds that a stop takes at normal speed. */
const STOP_SECONDS = { phases: 1.35, moves: 0.8 };

export interface Player {
  stop: number;
  /** 0 to 1: how far the motion that leads to this stop has come. */
  progress: number;
  running: boolean;
  jump(stop: number): void;
  toggle(): void;
}

export function usePlayer(count: number, first: number, animated: boolean): Player {
  const { speed } = useStore(prefs);
  const [at, setAt] = useState({ stop: first, progress: 1 });
  const [running, setRunning] = useState(false);
  const pace = useRef(speed);
  pace.current = speed;

  const clamp = (stop: number) => Math.max(0, Math.min(count - 1, stop));
  useEffect(() => {
    if (!running) return;
    let last = performance.now();
    let frame = 0;
    let now = at.progress >= 1 ? { stop: at.stop, progress: 1 } : at;
    const tick = (time: number) => {
      const seconds = animated ? STOP_SECONDS.phases : STOP_SECONDS.moves;
      const progress = now.progress + Math.max(0, (time - last) / 1000) * (pace.current / seconds);
      last = time;
      if (progress < 1) now = { ...now, progress };
      else if (now.stop >= count - 1) {
        setAt({ stop: count - 1, progress: 1 });
        return setRunning(false);
      } else now = { stop: now.stop + 1, progress: 0 };
      setAt(animated && !reducedMotion() ? now : { ...now, progress: 1 });
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [running, count, animated]);

  return {
    ...at,
    running,
    jump(stop) {
      setRunning(false);
      setAt({ stop: clamp(stop), progress: 1 });
    },
    toggle() {
      if (!running && at.stop >= count - 1) setAt({ stop: 0, progress: 1 });
      setRunning(!running);
    },
  };
}
