// The 3D view's doorway: its code and three.js are fetched when it is first opened.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ArenaProps } from "./arena";
import type { Stage } from "./three/stage";

export function Arena3D(props: ArenaProps) {
  const box = useRef<HTMLDivElement>(null);
  const [stage, setStage] = useState<Stage | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let gone = false;
    let made: Stage | null = null;
    void import("./three/stage").then(
      ({ openStage }) => {
        if (gone || !box.current) return;
        try {
          made = openStage(box.current, props.map, props.ships);
          setStage(made);
        } catch (error) {
          setProblem(`This browser can't show the 3D view: ${String(error)}`);
        }
      },
      () => setProblem("The 3D view could not be loaded."),
    );
    return () => {
      gone = true;
      made?.close();
      setStage(null);
    };
  }, [props.map, props.ships]);
  stage?.show(props);
  return (
    <div class="stage" ref={box} role="img" aria-label={`${props.label}, in three dimensions`}>
      {problem && <p class="note">{problem}</p>}
      {!stage && !problem && <p class="soft loading-stage">Loading the 3D view…</p>}
    </div>
  );
}
