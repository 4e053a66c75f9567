// Whether the server recorded the game of a replay itself.
import { Check, Cross } from "../ui/icons";
import type { GameReplay } from "../wire";

export function Verified({ replay }: { replay: GameReplay }) {
  if (replay.verified === null) return null;
  return replay.verified ? (
    <p class="small verified" title="The record is signed by this server: nobody has changed it.">
      <Check /> Verified: played on this server
    </p>
  ) : (
    <p class="small note forged">
      <Cross /> Not verified: the signature does not fit. The record was changed, or comes from another server.
    </p>
  );
}
