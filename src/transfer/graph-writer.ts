/** What a format must be able to do: write a graph piece by piece, holding none of it. */

export interface ExportEntity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

export interface ExportRelation {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

/**
 * Every part in this order: `start`, each `entity`, `between`, each `relation`, `end`. Numbers
 * stand for the entities in the formats that cannot use names, and are the caller's: the same one
 * for the entity and for the ends of its relations. A writer writes one graph.
 */
export interface GraphWriter {
  start(): string;
  entity(entity: ExportEntity, number: number): string;
  between(): string;
  relation(relation: ExportRelation, fromNumber: number, toNumber: number): string;
  end(): string;
}

/** Never a reserved word in any format, whatever the entity is called. */
export function nodeId(number: number): string {
  return `n${number}`;
}

// eslint-disable-next-line no-control-regex -- Control characters are what is looked for.
const INEXPRESSIBLE = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Text without what XML, HTML and Graphviz cannot express by any escape: control characters but
 * tab and line ends, halves of surrogate pairs, and two code points that are no characters. Each
 * becomes U+FFFD. No name or observation of a thread holds a control character or such a half.
 */
export function toExpressible(text: string): string {
  return text.toWellFormed().replaceAll(INEXPRESSIBLE, '\ufffd');
}

/** What may stand in a label: expressible text with one kind of line end. */
export function toLabel(text: string): string {
  return toExpressible(text).replaceAll(/\r\n?/g, '\n');
}
