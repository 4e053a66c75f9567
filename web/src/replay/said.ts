// Transcripts: what language models said in a game, as the command line keeps it beside the record.

/** One request to a model and what came of it; absent fields have their defaults. */
export interface Exchange {
  model: string;
  prompt: string;
  answer?: string;
  action?: string | null;
  problem?: string;
  kind?: string;
  tokens_in?: number;
  tokens_out?: number;
  cost?: number;
  seconds?: number;
  cached?: boolean;
  seat?: number;
  move?: number;
}

/** Whether a text is a transcript, and no record: its first line is an exchange. */
export function isTranscript(text: string): boolean {
  return readSaid(text.slice(0, text.indexOf("\n") + 1)).length === 1;
}

/** The exchanges of a transcript; lines that are none are left out. */
export function readSaid(text: string): Exchange[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value = JSON.parse(line);
      return typeof value?.model === "string" && typeof value.prompt === "string" ? [value as Exchange] : [];
    } catch {
      return [];
    }
  });
}

/** What was said about the move that led to `turn`; at the last one also what led to a forfeit. */
export function saidAt(said: Exchange[], turn: number, last: number, seat: number | null): Exchange[] {
  return said.filter((e) => {
    const move = e.move ?? 0;
    return (move === turn || (turn === last && move > last)) && (seat === null || (e.seat ?? 0) === seat);
  });
}

/** The costs of an exchange in words: `812 + 64 tokens, 1.2 s, $0.0031`. */
export function costsOf(e: Exchange): string {
  const parts = [`${e.tokens_in ?? 0} + ${e.tokens_out ?? 0} tokens`];
  parts.push(e.cached ? "from the cache" : `${(e.seconds ?? 0).toFixed(1)} s`);
  if (e.cost) parts.push(`$${e.cost.toFixed(4)}`);
  return parts.join(", ");
}
