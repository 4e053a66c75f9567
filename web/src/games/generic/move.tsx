// Choosing an action in words: buttons for a few, a list to search in for many, a field to type in.
import { useState } from "preact/hooks";
import { matching } from "./actions";

/** Buttons beyond this number are left to the search. */
const MOST_BUTTONS = 24;

export interface MoveProps {
  /** Actions to offer as buttons; null: too many to list. */
  offered: readonly string[] | null;
  /** How an action is written. */
  typing: string;
  act: (action: string) => void;
}

export function Move({ offered, typing, act }: MoveProps) {
  const [text, setText] = useState("");
  const found = matching(offered ?? [], text);
  return (
    <div class="stack move">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === "") return;
          act(text.trim());
          setText("");
        }}
      >
        <label class="field grow">
          Type a move
          <input value={text} autocomplete="off" autocapitalize="off" spellcheck={false} placeholder={typing} onInput={(e) => setText(e.currentTarget.value)} />
        </label>
        <button type="submit" class="button">
          Play it
        </button>
      </form>
      {found.length > 0 && (
        <ul class="move-list" aria-label="Legal moves">
          {found.slice(0, MOST_BUTTONS).map((action) => (
            <li key={action}>
              <button type="button" class="button small" onClick={() => act(action)}>
                {action}
              </button>
            </li>
          ))}
        </ul>
      )}
      {found.length > MOST_BUTTONS && (
        <p class="soft small">{found.length - MOST_BUTTONS} more: type a part of the move to find it.</p>
      )}
    </div>
  );
}
