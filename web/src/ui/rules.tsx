// The rules of a game, one key away: the same text as in the manual, with this room's settings.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { moduleOf } from "../games";
import { getRules } from "../rest";
import type { GameRules, RuleFigure } from "../wire";
import { Book, Cross } from "./icons";

export interface RulesProps {
  game: string;
  variant?: string | null;
  settings: Record<string, unknown>;
}

/** A button that opens the rules, as the key `?` does. */
export function RulesButton(props: RulesProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  // Before the page is painted: whoever sees the button may press the key.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest?.("input, textarea, select");
      if (event.key !== "?" || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      setOpen((now) => !now);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <>
      <button type="button" class="button small" onClick={() => setOpen(true)} aria-keyshortcuts="?">
        <Book /> Rules
      </button>
      <dialog
        ref={dialog}
        class="rules"
        aria-label="Rules"
        onClose={() => setOpen(false)}
        onClick={(event) => event.target === event.currentTarget && setOpen(false)}
      >
        {open && <RulesSheet {...props} close={() => setOpen(false)} />}
      </dialog>
    </>
  );
}

function RulesSheet({ game, variant, settings, close }: RulesProps & { close: () => void }) {
  const [rules, setRules] = useState<GameRules | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let wanted = true;
    getRules(game, { variant: variant ?? null, settings }).then(
      (found) => wanted && setRules(found),
      (error: Error) => wanted && setProblem(error.message),
    );
    return () => {
      wanted = false;
    };
  }, [game, variant, JSON.stringify(settings)]);
  return (
    <div class="rules-sheet stack">
      <div class="row spread">
        <h2>{rules?.title ?? "Rules"}</h2>
        <button type="button" class="icon-button" aria-label="Close the rules" onClick={close}>
          <Cross />
        </button>
      </div>
      {problem && <p class="note small">{problem}</p>}
      {rules && <p class="rules-goal">{marked(rules.goal)}</p>}
      <div class="rules-columns">
        {rules?.sections.map((section) => (
          <section key={section.title} class="stack">
            <h3>{section.title}</h3>
            {section.text.map((paragraph) => (
              <p>{marked(paragraph)}</p>
            ))}
            {section.terms.length > 0 && (
              <dl class="terms">
                {section.terms.map(([term, meaning]) => (
                  <>
                    <dt>{marked(term)}</dt>
                    <dd>{marked(meaning)}</dd>
                  </>
                ))}
              </dl>
            )}
            {section.figures.map((figure) => (
              <FigureOf game={game} figure={figure} />
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

/** A drawing on a grid, with the game's own marks for its characters. */
function FigureOf({ game, figure }: { game: string; figure: RuleFigure }) {
  const { Mark } = moduleOf(game, undefined);
  const cols = Math.max(...figure.rows.map((row) => [...row].length));
  const rows = figure.rows.length;
  return (
    <figure class="rule-figure">
      <svg viewBox={`-0.05 -0.05 ${cols + 0.1} ${rows + 0.1}`} class={`chart-figure ${game}`} style={{ "--cols": cols }} aria-hidden="true">
        <rect class="sea" x={0} y={0} width={cols} height={rows} />
        {figure.rows.flatMap((row, y) =>
          [...row].map((mark, x) =>
            Mark ? (
              <Mark mark={mark} x={x} y={y} />
            ) : (
              <text x={x + 0.5} y={y + 0.5} class="symbol">
                {mark === "." ? "" : mark}
              </text>
            ),
          ),
        )}
      </svg>
      <figcaption class="small soft">{figure.caption}</figcaption>
    </figure>
  );
}

/** Text with **bold** and `code`. */
export function marked(text: string) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return <strong>{part.slice(2, -2)}</strong>;
    if (part.startsWith("`")) return <code>{part.slice(1, -1)}</code>;
    return part;
  });
}
