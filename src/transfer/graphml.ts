/**
 * GraphML, which Gephi, Cytoscape, yEd, igraph and NetworkX read. Everything that `json` has: an
 * attribute holds one value, so the observations stand as a JSON list of texts.
 */
import { nodeId, toExpressible, type GraphWriter } from './graph-writer.ts';

const START = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="name" for="node" attr.name="label" attr.type="string"/>
  <key id="entityType" for="node" attr.name="entityType" attr.type="string"/>
  <key id="observations" for="node" attr.name="observations" attr.type="string"/>
  <key id="relationType" for="edge" attr.name="label" attr.type="string"/>
  <graph id="G" edgedefault="directed">
`;

const END = `  </graph>
</graphml>
`;

export function graphmlWriter(): GraphWriter {
  return {
    start: () => START,
    entity({ name, entityType, observations }, number) {
      const data = [
        dataOf('name', name),
        dataOf('entityType', entityType),
        dataOf('observations', JSON.stringify(observations)),
      ];
      return `    <node id="${nodeId(number)}">${data.join('')}</node>\n`;
    },
    between: () => '',
    relation({ relationType }, fromNumber, toNumber) {
      const ends = `source="${nodeId(fromNumber)}" target="${nodeId(toNumber)}"`;
      return `    <edge ${ends}>${dataOf('relationType', relationType)}</edge>\n`;
    },
    end: () => END,
  };
}

function dataOf(key: string, text: string): string {
  return `<data key="${key}">${escapeText(text)}</data>`;
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** By number: line ends that a parser would change, and signs that turn around what they stand beside. */
function escapeText(text: string): string {
  return toExpressible(text).replaceAll(
    /[&<>\r\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}/gu,
    (sign) => NAMED[sign] ?? `&#${sign.codePointAt(0)};`,
  );
}
