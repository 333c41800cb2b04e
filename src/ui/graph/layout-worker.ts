/** Computes a layout in a worker, so that the page stays quick. */
import Graph from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import type { LayoutAnswer, LayoutRequest } from './layout.ts';

const ROUNDS_A_STEP = 12;
const ROUNDS_MAX = 480;
/** A large graph is laid out as well as it can be in this time. */
const TIME_MAX_MS = 6_000;

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => {
  const { nodes, edges } = data;
  const graph = new Graph({ multi: false, type: 'undirected' });
  for (const { x, y, size, isFixed } of nodes) {
    graph.addNode(graph.order, { x, y, size, fixed: isFixed });
  }
  for (const [from, to] of edges) if (from !== to) graph.mergeEdge(from, to);
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    linLogMode: nodes.length < 800,
    gravity: 0.6,
    strongGravityMode: false,
    barnesHutOptimize: nodes.length > 400,
  };
  const startedAt = performance.now();
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds += ROUNDS_A_STEP) {
    forceAtlas2.assign(graph, { iterations: ROUNDS_A_STEP, settings });
    const isLast = rounds + ROUNDS_A_STEP >= ROUNDS_MAX;
    const isLate = performance.now() - startedAt > TIME_MAX_MS;
    const points = nodes.map((_, i) => ({
      x: graph.getNodeAttribute(i, 'x') as number,
      y: graph.getNodeAttribute(i, 'y') as number,
    }));
    postMessage({ points, isDone: isLast || isLate } satisfies LayoutAnswer);
    if (isLate) return;
  }
});
