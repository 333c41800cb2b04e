/** A briefing of `recall`, line by line: what each line is, and which entity and fact it leads to. */
import { estimateTokens } from '#graph/text/tokens.ts';

export type BriefingPart = 'facts' | 'relations' | 'summaries' | 'turns';

export interface BriefingLine {
  readonly kind: 'opening' | 'heading' | 'item';
  readonly part: BriefingPart | undefined;
  readonly text: string;
  /** Such as obs_4; of an item alone. */
  readonly id?: string;
  /** What stands between the brackets behind the id. */
  readonly tag?: string;
  /** What an item says behind its tag. */
  readonly says?: string;
  /** Name of the entity whose heading it stands under. */
  readonly entity?: string;
}

const HEADINGS: readonly (readonly [RegExp, BriefingPart])[] = [
  [/^About .+:$/, 'facts'],
  [/^Other facts:$/, 'facts'],
  [/^Relations:$/, 'relations'],
  [/^Summaries of sessions:$/, 'summaries'],
  [/^Turns of conversations:$/, 'turns'],
];

/** Items begin with `- `; every other line but the first is a heading. */
export function readBriefing(text: string): BriefingLine[] {
  let part: BriefingPart | undefined;
  let entity: string | undefined;
  return text.split('\n').map((line, i): BriefingLine => {
    if (line.startsWith('- ')) {
      const tagged = /^- \[((?:obs|mem|turn|sum)_\d+)([^\]]*)\] ?(.*)$/s.exec(line);
      if (tagged === null) return { kind: 'item', part, text: line };
      const [, id = '', tag = '', says = ''] = tagged;
      return {
        kind: 'item',
        part,
        text: line,
        id,
        tag,
        says,
        ...(entity !== undefined && { entity }),
      };
    }
    part = HEADINGS.find(([pattern]) => pattern.test(line))?.[1];
    entity = /^About (.+) \([^()]*\):$/.exec(line)?.[1];
    return { kind: i === 0 ? 'opening' : 'heading', part, text: line };
  });
}

export interface BriefingTokens {
  readonly total: number;
  readonly parts: Readonly<Record<BriefingPart, number>>;
}

/** What each part costs a model, estimated from above as the server does it. */
export function countTokens(text: string, lines: readonly BriefingLine[]): BriefingTokens {
  const sum = (part: BriefingPart) =>
    estimateTokens(
      lines
        .filter((line) => line.part === part)
        .map((line) => line.text)
        .join('\n'),
    );
  return {
    total: estimateTokens(text),
    parts: {
      facts: sum('facts'),
      relations: sum('relations'),
      summaries: sum('summaries'),
      turns: sum('turns'),
    },
  };
}
