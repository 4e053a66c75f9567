// Which ships of a sea are afloat.
import type { BattleshipSea } from "../../wire";
import type { Board } from "./sea";

export function ShipStatus({ board, sea, title }: { board: Board; sea: BattleshipSea; title: string }) {
  return (
    <section class="ship-status">
      <h2>{title}</h2>
      <ul>
        {board.names.map((name, i) => {
          const afloat = sea.afloat.includes(name);
          return (
            <li key={name} class={afloat ? "" : "gone"}>
              <svg viewBox={`0 0 ${board.sizes[i]! * 10 + 2} 12`} style={{ width: `${board.sizes[i]! * 0.62}rem` }} aria-hidden="true">
                {Array.from({ length: board.sizes[i]! }, (_, k) => (
                  <rect x={1 + 10 * k} y={1} width={8.500} height={10} rx={2} />
                ))}
              </svg>
              <span>{name}</span>
              <span class="visually-hidden">{afloat ? "afloat" : "sunk"}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
