// Starting a game: make the room, keep its key, go there.
import { notify } from "../announce";
import { keepToken, prefs, rememberGame } from "../prefs";
import { makeRoom, Refused } from "../rest";
import { go } from "../route";
import type { NewRoom } from "../wire";

export async function begin(wish: NewRoom): Promise<void> {
  try {
    const held = await makeRoom({ name: prefs.get().name, ...wish });
    if (held.token) keepToken(held.room, held.token);
    if (held.token && !wish.puzzle) rememberGame({ room: held.room, game: wish.game, lesson: !!wish.lesson });
    go(`/room/${held.room}`);
  } catch (error) {
    notify(error instanceof Refused ? error.message : String(error), 8);
  }
}
