/** Where nodes stand before a layout has run. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Places = ReadonlyMap<string, Point>;

export interface PlacedNode {
  readonly name: string;
  readonly degree: number;
}

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** On a spiral; beside a neighbour that has its place already. */
export function startingPoints(
  nodes: readonly PlacedNode[],
  edges: readonly (readonly [string, string])[],
  known: Places,
): Places {
  const points = new Map(known);
  const neighbours = new Map<string, Point>();
  for (const [from, to] of edges) {
    const [source, target] = [known.get(from), known.get(to)];
    if (source !== undefined) neighbours.set(to, source);
    if (target !== undefined) neighbours.set(from, target);
  }
  const byDegree = nodes.toSorted((a, b) => b.degree - a.degree || (a.name < b.name ? -1 : 1));
  for (const [i, { name }] of byDegree.entries()) {
    if (points.has(name)) continue;
    const beside = neighbours.get(name);
    const angle = i * GOLDEN_ANGLE;
    const radius = beside === undefined ? 10 * Math.sqrt(i + 1) : 12;
    const { x, y } = beside ?? { x: 0, y: 0 };
    points.set(name, { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle) });
  }
  return points;
}
