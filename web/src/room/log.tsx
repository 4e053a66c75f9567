// What happened, newest last: read by eye, and read out as it grows.
import { useEffect, useRef } from "preact/hooks";
import type { RoomEvent, Room } from "./state";
import { storyOf } from "./words";

interface Line {
  move: number | null;
  text: string;
}

/** The log's lines; moves that were taken back stay, as do the words that say so. */
export function linesOf(room: Room): Line[] {
  return room.events.flatMap((h: RoomEvent) =>
    storyOf(h, room).map((text) => ({ move: h.kind === "moved" ? h.move : null, text })),
  );
}

export function Log({ room, title = "Log" }: { room: Room; title?: string }) {
  const box = useRef<HTMLDivElement>(null);
  const lines = linesOf(room);
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines.length]);
  return (
    <section class="log">
      <h2 id="log-title">{title}</h2>
      <div class="lines" ref={box} role="log" aria-labelledby="log-title" tabIndex={0}>
        <ol>
          {lines.slice(-200).map((line, i) => (
          <li key={i}>
            {line.move !== null && <span class="soft">{line.move}</span>}
            <span>{line.text}</span>
          </li>
        ))}
        {lines.length === 0 && <li class="soft">No moves yet.</li>}
        </ol>
      </div>
    </section>
  );
}
