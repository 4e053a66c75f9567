// What was known of a hidden fleet: the likeliest cell and how much is still unknown.
import type { BattleshipInsight } from "./sea";

export function Thought({ insight, next }: { insight: Record<string, unknown>; next: string | null }) {
  const { entropy_bits: bits, best } = insight as BattleshipInsight;
  return (
    <dl class="facts">
      {best && (
        <>
          <dt>Best shot</dt>
          <dd class="mono">
            {best}
            {next === best && " · played"}
          </dd>
        </>
      )}
      {bits !== undefined && (
        <>
          <dt>Uncertainty</dt>
          <dd>{bits.toFixed(1)} bits</dd>
        </>
      )}
    </dl>
  );
}
