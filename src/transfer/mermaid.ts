/** A Mermaid flowchart: names of entities and types of relations. */
import { nodeId, toLabel, type GraphWriter } from './graph-writer.ts';

export function mermaidWriter(): GraphWriter {
  return {
    start: () => 'graph LR\n',
    entity: ({ name }, number) => `  ${nodeId(number)}[${quoteLabel(name)}]\n`,
    between: () => '',
    relation: ({ relationType }, fromNumber, toNumber) =>
      `  ${nodeId(fromNumber)} -->|${edgeLabel(relationType)}| ${nodeId(toNumber)}\n`,
    end: () => '',
  };
}

/** Between bars a text of plain words needs no quotes. */
function edgeLabel(text: string): string {
  const label = escapeLabel(text);
  return /^\w+(?: \w+)*$/.test(label) ? label : `"${label}"`;
}

function quoteLabel(text: string): string {
  return `"${escapeLabel(text)}"`;
}

/**
 * Quotes do not protect a label: Mermaid looks through the whole text for entities, directives,
 * `style …:…#…;` and `direction LR` before its grammar is asked, then reads the label as HTML, for
 * icons (`fa:fa-car`) and formulas (`$$`), and before version 12 as Markdown. So every sign that may
 * mean something is written by its code, which only the last step, HTML, resolves. A line end stays
 * one: `<br/>` would have the codes resolved before their time. Left as they are: signs that mean
 * nothing, a hyphen or underscore within a word, and a point between digits.
 */
const RISKY = new RegExp(
  [
    String.raw`["#$%&*+:;<=>@[\\\]^\x60{|}~\t]`,
    String.raw`(?<![A-Za-z\d])[-_]|[-_](?![A-Za-z\d])`,
    String.raw`(?<!\d)\.|\.(?!\d)`,
    // `1)` begins a list in Markdown.
    String.raw`(?<=\d)\)`,
    // Space at the ends is trimmed.
    String.raw`^\s|\s$`,
    String.raw`(?<=direction)\s`,
    // A name must not turn around the text that stands beside it.
    String.raw`\p{Bidi_Control}`,
  ].join('|'),
  'gu',
);

function escapeLabel(text: string): string {
  if (text === '') return ' ';
  return toLabel(text)
    .replaceAll(RISKY, (sign) => `#${sign.codePointAt(0)};`)
    .replaceAll(PLACEHOLDERS, '$&\u200c');
}

/** Mermaid itself puts these for `&` and `;`, and puts them back to the end: something must part them. */
const PLACEHOLDERS = /\ufb02(?=°)|¶(?=ß)/g;
