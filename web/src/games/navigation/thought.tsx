// What a solver would play in Battle Navigation: a mixture of plans, for nobody can be sure.
import { readPlan, type ShipRow } from "./plan";
import { Planner } from "./planner";

export interface NavigationInsight {
  plans?: { plan: string; weight: number; value: number; foreseen?: number | null; answer?: string | null }[];
  value?: number;
}

const ANY_SHIP: ShipRow = { name: "", label: "", hp: 1, range: 1, cannonball: "medium", shots: 2, grapple_range: 1 };

export function Thought({ insight, next }: { insight: Record<string, unknown>; next: string | null }) {
  const { plans = [] } = insight as NavigationInsight;
  return (
    <div class="stack">
      <table class="plain small">
        <thead>
          <tr>
            <th>plan</th>
            <th class="number">probability</th>
            <th class="number" title="Against the opponent's mixed strategy: -1 lost, 1 won">
              value
            </th>
            <th class="number" title="If the opponent knew the plan: why it is not played always">
              if foreseen
            </th>
          </tr>
        </thead>
        <tbody>
          {plans.slice(0, 6).map((p) => (
            <tr class={p.plan === next ? "played" : ""} key={p.plan}>
              <td class="mono">
                {p.plan}
                {p.plan === next && " · played"}
              </td>
              <td class="number">{Math.round(100 * p.weight)}%</td>
              <td class="number">{p.value.toFixed(2)}</td>
              <td class="number" title={p.answer ? `by ${p.answer}` : undefined}>
                {p.foreseen == null ? "" : p.foreseen.toFixed(2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {plans[0] && (
        <div class="two-plans">
          <div>
            <h3 class="small soft">Most likely plan</h3>
            <Planner plan={readPlan(plans[0].plan, ANY_SHIP)} ship={ANY_SHIP} name="the solver" seat={0} />
          </div>
        </div>
      )}
    </div>
  );
}
