// Going on from another device: a private link that holds the player's seat.
import { useState } from "preact/hooks";
import { notify } from "../announce";
import { keepToken, tokenOf } from "../prefs";
import { getDeviceLink, Refused } from "../rest";
import { Link } from "../ui/icons";
import type { Invitation } from "../wire";
import { OnlyHere, QrCode } from "./qr";
import { copyLink } from "./table";

/** The token in the address of a private link; it is taken out of the address and kept. */
export function takeTokenFromAddress(room: string): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("seat");
  if (!token) return;
  keepToken(room, token);
  history.replaceState(null, "", location.pathname + location.search);
}

export function DeviceButton({ room }: { room: string }) {
  const [shown, setShown] = useState<Invitation | null>(null);
  const show = async () => {
    try {
      setShown(shown ? null : await getDeviceLink(room, tokenOf(room)));
    } catch (error) {
      notify(error instanceof Refused ? error.message : String(error));
    }
  };
  // A server on this machine alone can still be reached by its other browsers.
  const link = shown && (shown.link ?? `${location.origin}${location.pathname}#seat=${tokenOf(room)}`);
  return (
    <>
      <button type="button" class="button small" aria-expanded={shown !== null} onClick={() => void show()}>
        <Link /> Continue on another device
      </button>
      {shown && link && (
        <div class="note invite device">
          <div class="stack">
            <p class="small">
              Whoever has this link plays in your place: keep it to yourself.
              {shown.link === null && <> <OnlyHere /></>}
            </p>
            <div class="row">
              <input class="input link" readOnly value={link} aria-label="Private link" onFocus={(e) => e.currentTarget.select()} />
              <button type="button" class="button small" onClick={() => void copyLink(link)}>
                Copy
              </button>
            </div>
          </div>
          {shown.qr.length > 0 && <QrCode rows={shown.qr} />}
        </div>
      )}
    </>
  );
}
