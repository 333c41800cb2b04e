/** Finds the greatest of many numbers without sorting all of them. */

/** Indices of the `limit` greatest values, greatest first. Equal ones keep their order. */
export function greatest(values: Float32Array, limit: number): number[] {
  const room = Math.min(limit, values.length);
  // A heap of indices whose root is that of the least value.
  const heap = new Int32Array(room);
  for (let index = 0; index < room; index += 1) siftUp(heap, index, values, index);
  let least = values[heap[0] ?? 0] ?? 0;
  for (let index = room; index < values.length && room > 0; index += 1) {
    if ((values[index] ?? 0) <= least) continue;
    siftDown(heap, index, values);
    least = values[heap[0] ?? 0] ?? 0;
  }
  return [...heap].toSorted((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
}

/** Puts an index at a place of the heap, or above it. */
function siftUp(heap: Int32Array, index: number, values: Float32Array, place: number): void {
  const value = values[index] ?? 0;
  let child = place;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (!(value < (values[above] ?? 0))) break;
    heap[child] = above;
    child = parent;
  }
  heap[child] = index;
}

/** Puts an index in the place of the root, or below it. */
function siftDown(heap: Int32Array, index: number, values: Float32Array): void {
  const value = values[index] ?? 0;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const right = left + 1;
    if (left >= heap.length) break;
    const isRightLess =
      right < heap.length && (values[heap[right] ?? 0] ?? 0) < (values[heap[left] ?? 0] ?? 0);
    const child = isRightLess ? right : left;
    const below = heap[child] ?? 0;
    if (!((values[below] ?? 0) < value)) break;
    heap[parent] = below;
    parent = child;
  }
  heap[parent] = index;
}
