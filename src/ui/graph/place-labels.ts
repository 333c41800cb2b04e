/** Which labels of nodes there is room for, and where: none covers another one. All lengths are pixels. */

export interface LabelCandidate {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Radius of the node. */
  readonly size: number;
  readonly width: number;
  readonly height: number;
  /** Of a relation: its middle is at the point, or it is left out. */
  readonly isCentered?: boolean;
}

export interface PlacedLabel {
  readonly name: string;
  /** The left end of the text's middle line. */
  readonly x: number;
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const GAP = 4;
const CELL = 96;

/** In order: the first ones get their place before the others. A label with no room is left out. */
export function placeLabels(
  candidates: readonly LabelCandidate[],
  view: { readonly width: number; readonly height: number },
): PlacedLabel[] {
  const taken = new BoxGrid();
  const placed: PlacedLabel[] = [];
  for (const { x, y, size } of candidates) {
    if (size > 0) taken.add(boxOf(x - size / 2, y, size, size));
  }
  for (const candidate of candidates) {
    const { name, x, y, width, height } = candidate;
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    const place = positionsOf(candidate).find(([left, middle]) => {
      const box = boxOf(left, middle, width, height);
      return box.left >= 0 && box.right <= view.width && taken.isFree(box);
    });
    if (place === undefined) continue;
    const [left, middle] = place;
    taken.add(boxOf(left, middle, width, height));
    placed.push({ name, x: left, y: middle });
  }
  return placed;
}

/** Right, left, below, above, then the corners. */
function positionsOf(label: LabelCandidate): (readonly [number, number])[] {
  const { x, y, size, width, height } = label;
  if (label.isCentered) return [[x - width / 2, y]];
  const right = x + size + GAP;
  const left = x - size - GAP - width;
  const center = x - width / 2;
  const below = y + size + GAP + height / 2;
  const above = y - size - GAP - height / 2;
  return [
    [right, y],
    [left, y],
    [center, below],
    [center, above],
    [right, below],
    [right, above],
    [left, below],
    [left, above],
  ];
}

function boxOf(left: number, middle: number, width: number, height: number): Box {
  return { left, right: left + width, top: middle - height / 2, bottom: middle + height / 2 };
}

/** Boxes by cells, so that a new one is held against its neighbours alone. */
class BoxGrid {
  readonly #cells = new Map<string, Box[]>();

  add(box: Box): void {
    for (const key of cellsOf(box)) {
      const cell = this.#cells.get(key);
      if (cell === undefined) this.#cells.set(key, [box]);
      else cell.push(box);
    }
  }

  isFree(box: Box): boolean {
    return cellsOf(box).every((key) =>
      (this.#cells.get(key) ?? []).every((other) => !overlaps(box, other)),
    );
  }
}

function cellsOf({ left, top, right, bottom }: Box): string[] {
  const keys: string[] = [];
  for (let column = Math.floor(left / CELL); column <= Math.floor(right / CELL); column++) {
    for (let row = Math.floor(top / CELL); row <= Math.floor(bottom / CELL); row++) {
      keys.push(`${column} ${row}`);
    }
  }
  return keys;
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
