// What was thought of a Gomoku position: the evaluation bar, the best moves, the expected line.
import { percent } from "./board";
import type { GomokuInsight } from "./position";

/** From lost (empty) to won (full) for the player named. */
export function EvaluationBar({ value, name }: { value: number | null; name: string }) {
  const share = value === null ? 50 : Number(percent(value));
  return (
    <div
      class="evaluation"
      role="meter"
      aria-label={`Evaluation for ${name}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share}
      aria-valuetext={value === null ? "unknown" : `${share} of 100`}
    >
      <span class="fill" style={{ width: `${share}%` }} />
      <span class="label small">{value === null ? "…" : `${name} ${share}%`}</span>
    </div>
  );
}

export function Thought({ insight, next }: { insight: Record<string, unknown>; next: string | null }) {
  const { moves = [], line = [], depth } = insight as GomokuInsight;
  return (
    <div class="stack">
      {moves.length > 0 && (
        <table class="plain small">
          <thead>
            <tr>
              <th>move</th>
              <th class="number">chance</th>
            </tr>
          </thead>
          <tbody>
            {moves.slice(0, 5).map((m) => (
              <tr class={m.action === next ? "played" : ""}>
                <td class="mono">
                  {m.action}
                  {m.action === next && " · played"}
                </td>
                <td class="number">{percent(m.value)}%</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {line.length > 1 && (
        <p class="small soft">
          Expected line{depth ? `, searched ${depth} moves deep` : ""}: <span class="mono">{line.slice(0, 10).join(" ")}</span>
        </p>
      )}
    </div>
  );
}
