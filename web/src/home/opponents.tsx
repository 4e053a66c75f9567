// Choosing an opponent by name: from one that a child beats to full strength.
import { useId } from "preact/hooks";
import { offeredBy } from "../games/opponents";
import { scores } from "../prefs";
import { useStore } from "../store";
import { Emblem } from "../ui/emblems";
import type { GameInfo, OpponentInfo } from "../wire";

export interface OpponentPickerProps {
  info: GameInfo;
  value: string;
  onChange: (opponent: OpponentInfo) => void;
}

/** One card for each opponent, weakest first, with its rating and your results against it. */
export function OpponentPicker({ info, value, onChange }: OpponentPickerProps) {
  const id = useId();
  const kept = useStore(scores)[info.name] ?? {};
  return (
    <div class="opponents" role="radiogroup" aria-labelledby={id}>
      <span id={id} class="soft small">
        Opponent
      </span>
      {info.opponents.map((opponent) => {
        const score = kept[opponent.spec];
        return (
          <label key={opponent.spec} class="opponent" title={opponent.unavailable ?? ""}>
            <input
              type="radio"
              name="opponent"
              class="visually-hidden"
              checked={opponent.spec === value}
              disabled={opponent.unavailable !== null}
              onChange={() => onChange(opponent)}
            />
            <Emblem name={opponent.emblem} />
            <span class="who">
              <strong>{opponent.name}</strong>
              <span class="small soft">{opponent.unavailable ?? opponent.character}</span>
            </span>
            <span class="rating small soft">
              <span>{opponent.elo === null ? "not rated" : `${opponent.elo} Elo`}</span>
              <span>{score ? `${score.won} won · ${score.lost} lost` : "\u00a0"}</span>
            </span>
          </label>
        );
      })}
    </div>
  );
}

/** Whether the game has named opponents who can play here. */
export const hasOpponents = (info: GameInfo) => offeredBy(info).length > 0;
