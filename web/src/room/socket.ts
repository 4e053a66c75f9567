// The socket of one room: it connects, says hello, resends what was lost, and connects again.
import { type Store, store } from "../store";
import type { ClientMessage, ServerMessage } from "../wire";
import { emptyRoom, type RoomEvent, type Outgoing, receive, resends, type Room, sending } from "./state";

export const PROTOCOL = 1;
const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;
const QUIET = 20_000;

type Omitted<T> = T extends { id: string } ? Omit<T, "id"> : never;
export type Request = Omitted<Outgoing>;

/** Unlike `crypto.randomUUID`, this also works on plain http between two machines at home. */
function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export interface Connection {
  room: Store<Room>;
  send(message: Request): string;
  close(): void;
}

export function connect(
  id: string,
  token: string | null,
  onFresh: (fresh: RoomEvent[], room: Room) => void,
): Connection {
  const room = store(emptyRoom(id));
  let socket: WebSocket | null = null;
  let wait = FIRST_WAIT;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heard = 0;
  let closed = false;

  function open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const opened = new WebSocket(`${scheme}://${location.host}/ws/${encodeURIComponent(id)}`);
    socket = opened;
    opened.onopen = () => {
      const since = room.get().position?.version ?? null;
      const hello: ClientMessage = { type: "hello", protocol: PROTOCOL, token, since };
      opened.send(JSON.stringify(hello));
    };
    opened.onmessage = (event) => onMessage(JSON.parse(event.data as string) as ServerMessage);
    opened.onclose = () => {
      if (socket === opened) lost();
    };
  }

  function onMessage(message: ServerMessage): void {
    heard = performance.now();
    const reconnected = message.type === "welcome" && room.get().link !== "online";
    const { room: next, fresh, gap } = receive(room.get(), message, performance.now());
    room.set(next);
    if (gap) post({ type: "sync", since: next.position?.version ?? 0 });
    if (reconnected) {
      wait = FIRST_WAIT;
      for (const pending of resends(next)) socket?.send(JSON.stringify(pending));
    }
    if (fresh.length > 0) onFresh(fresh, next);
  }

  function lost(): void {
    socket = null;
    if (closed || room.get().link === "gone") return;
    room.change((r) => ({ ...r, link: "offline", asking: null }));
    clearTimeout(timer);
    timer = setTimeout(open, wait);
    wait = Math.min(LONGEST_WAIT, wait * 1.7);
  }

  function post(message: Request): string {
    const full = { ...message, id: freshId() } as Outgoing;
    room.change((r) => sending(r, full));
    if (room.get().link === "online" && socket?.readyState === WebSocket.OPEN) {
      socket.send(JSON.stringify(full));
    }
    return full.id;
  }

  // A connection that died without a word (a sleeping laptop, a lost network) is found by asking.
  const pulse = setInterval(() => {
    if (room.get().link !== "online" || performance.now() - heard < QUIET) return;
    if (performance.now() - heard > 2 * QUIET) socket?.close();
    else post({ type: "ping" });
  }, QUIET / 4);

  const retryNow = () => {
    if (room.get().link !== "offline") return;
    clearTimeout(timer);
    wait = FIRST_WAIT;
    if (socket === null) open();
  };
  addEventListener("online", retryNow);

  open();
  return {
    room,
    send: post,
    close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(pulse);
      removeEventListener("online", retryNow);
      socket?.close();
    },
  };
}
