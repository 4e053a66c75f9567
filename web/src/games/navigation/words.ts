// The story of a turn, phase by phase, as the server tells it.

/** The sentences about one phase: the story's lines begin with `Phase 2:`. */
export function phaseStory(story: readonly string[], phase: number): string[] {
  const lines = story.flatMap((line) => {
    const match = /^Phase (\d+): (.*)$/s.exec(line);
    return match && Number(match[1]) === phase ? [match[2]!] : [];
  });
  return lines.length > 0 ? lines : ["Nothing happens."];
}
