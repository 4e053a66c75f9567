// Whose opinion is shown: the insight's own, or that of another who judged the same position.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Choice } from "./choice";

type Insight = Record<string, unknown>;

export const OWN = "";

/** What one voice says, or why it says nothing. */
export function heardFrom(insight: Insight | null, voice: string): { insight: Insight | null; why: string | null } {
  if (!insight || voice === OWN) return { insight, why: null };
  const opinions = (insight.opinions ?? {}) as Record<string, Insight>;
  const unavailable = (insight.unavailable ?? {}) as Record<string, string>;
  return { insight: opinions[voice] ?? null, why: opinions[voice] ? null : (unavailable[voice] ?? `${voice} has no analysis of this position.`) };
}

/** All who were asked beside the insight itself. */
export function voicesOf(insight: Insight): string[] {
  return [...Object.keys(insight.opinions ?? {}), ...Object.keys(insight.unavailable ?? {})].sort();
}

/** The insight as the player wants to hear it, and the row to choose a voice from. */
export function useVoice(insight: Insight | null, own: string): { insight: Insight | null; why: string | null; picker: ComponentChildren } {
  const [voice, choose] = useState(OWN);
  const known = useRef<string[]>([]);
  if (insight) known.current = voicesOf(insight);
  const options = [[OWN, own], ...known.current.map((name) => [name, name])] as [string, string][];
  const heard = heardFrom(insight, voice);
  const picker = known.current.length > 0 && (
    <>
      <Choice label="Analysis by" value={voice} options={options} onChange={choose} />
      {heard.why && <p class="note small">{heard.why}</p>}
    </>
  );
  return { ...heard, picker };
}
