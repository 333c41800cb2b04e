/** Turns found by a search, with as much of their texts as an answer has room for. */
import type { TurnTexts } from '#graph/turn.ts';

/** Less of a text says nothing of it. */
const TEXT_CHARS_MIN = 60;

/** The longest texts are cut, all to the same length: so no short one has to suffer for them. */
export function shortenTexts<Turn extends TurnTexts>(
  turns: readonly Turn[],
  charsMax: number,
): { readonly turns: readonly Turn[]; readonly charsShown: number | null } {
  const lengths = turns.flatMap(({ prompt, thought, response }) => [
    prompt.length,
    thought.length,
    response.length,
  ]);
  const room = roomForEach(lengths, charsMax);
  if (room === Infinity) return { turns, charsShown: null };
  const cut = (text: string) =>
    text.length <= room ? text : `${text.slice(0, room - 1).toWellFormed()}…`;
  return {
    turns: turns.map((turn) => ({
      ...turn,
      prompt: cut(turn.prompt),
      thought: cut(turn.thought),
      response: cut(turn.response),
    })),
    charsShown: room,
  };
}

/** The greatest length at which all texts fit when none is longer; infinite when they fit as they are. */
function roomForEach(lengths: readonly number[], charsMax: number): number {
  const sorted = lengths.toSorted((a, b) => a - b);
  let left = charsMax;
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at));
    if (length > share) return Math.max(share, TEXT_CHARS_MIN);
    left -= length;
  }
  return Infinity;
}
