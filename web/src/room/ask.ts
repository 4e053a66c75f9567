// Asking for hints: once for every position in which they are wanted, one question at a time.
import { useEffect, useRef } from "preact/hooks";
import type { GameInfo } from "../wire";
import type { Connection } from "./socket";
import type { Room } from "./state";

/** While `on`, asks what can be known from the seat's view whenever it is to move. */
export function useQuestion(room: Room, connection: Connection, game: GameInfo | undefined, seat: number | null, on: boolean): void {
  const asked = useRef("");
  const acting = seat !== null && !!room.position?.seats[seat]?.to_move;
  const key = `${room.position?.moves} ${seat}`;
  useEffect(() => {
    if (!on) asked.current = "";
    if (!on || !acting || room.asking !== null || room.link !== "online" || asked.current === key) return;
    asked.current = key;
    connection.send(game?.insight ? { type: "insight", seat, seconds: 1 } : { type: "hint", seat });
  }, [on, acting, key, room.asking, room.link, game?.insight]);
}
