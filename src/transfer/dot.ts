/** A Graphviz digraph: names of entities and types of relations. */
import { nodeId, toLabel, type GraphWriter } from './graph-writer.ts';

export function dotWriter(): GraphWriter {
  return {
    start: () => 'digraph G {\n',
    entity: ({ name }, number) => `  ${nodeId(number)} [label=${quoteLabel(name)}];\n`,
    between: () => '',
    relation: ({ relationType }, fromNumber, toNumber) =>
      `  ${nodeId(fromNumber)} -> ${nodeId(toNumber)} [label=${quoteLabel(relationType)}];\n`,
    end: () => '}\n',
  };
}

/**
 * A label is read three times: as a quoted string (`\"`), for escapes such as `\N`, the name of
 * the node, and for HTML entities. An ampersand that begins no entity stays.
 */
function quoteLabel(text: string): string {
  const label = toLabel(text)
    // A label whose first line is empty corrupts the memory of Graphviz 16.
    .replaceAll(/(?<![^\n])(?![^\n])/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/&(?=#?\w+;)/g, '&amp;')
    .replaceAll('\n', '\\n')
    // A name must not turn around the text that stands beside it.
    .replaceAll(/\p{Bidi_Control}/gu, (sign) => `&#${sign.codePointAt(0)};`);
  return `"${label}"`;
}
