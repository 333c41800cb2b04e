/** Where an arrow key leads from a node. */

export type Direction = 'left' | 'right' | 'up' | 'down';

interface NamedPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

const ANGLES: Readonly<Record<Direction, number>> = {
  right: 0,
  down: Math.PI / 2,
  left: Math.PI,
  up: -Math.PI / 2,
};

/** Neighbours that lie more than this beside the direction are not meant. */
const ANGLE_MAX = (Math.PI * 80) / 180;

/** The neighbour that lies best in a direction: near, and little beside it. Undefined where none does. */
export function nearestInDirection(
  from: { readonly x: number; readonly y: number } | undefined,
  neighbours: readonly NamedPoint[],
  direction: Direction,
): string | undefined {
  if (from === undefined) return undefined;
  const wanted = ANGLES[direction];
  const rated = neighbours.flatMap(({ name, x, y }) => {
    const turn = Math.atan2(y - from.y, x - from.x) - wanted;
    const beside = Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)));
    const distance = Math.hypot(x - from.x, y - from.y);
    return beside > ANGLE_MAX ? [] : [{ name, cost: distance * (1 + beside) }];
  });
  return rated.toSorted((a, b) => a.cost - b.cost)[0]?.name;
}
