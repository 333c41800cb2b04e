/** What is drawn over the nodes: labels, the relations of the selected node with their types, and marks. */
import type Graph from 'graphology';
import type Sigma from 'sigma';
import { shortText, visibleText } from '../text/safe-text.ts';
import type { Palette } from './colours.ts';
import { placeLabels, type LabelCandidate } from './place-labels.ts';

export interface DrawState {
  readonly selected: string | undefined;
  readonly hovered: string | undefined;
  readonly path: readonly string[];
  readonly pinned: ReadonlySet<string>;
  readonly palette: Palette;
  /** Names in the order in which they get a label. */
  readonly order: readonly string[];
}

const LABEL_CHARS_MAX = 24;
const CANDIDATES_MAX = 400;
const HUB_RELATIONS = 5;
const LABEL_HEIGHT = 14;
const EDGES_MAX = 120;
/** Where along a relation its type stands, from the selected node. */
const EDGE_LABEL_AT = 0.56;

type Drawn = (canvas: CanvasRenderingContext2D, sigma: Sigma, state: DrawState) => void;

export const drawOverlay: Drawn = (canvas, sigma, state) => {
  const { width, height } = sigma.getDimensions();
  const ratio = devicePixelRatio;
  canvas.setTransform(ratio, 0, 0, ratio, 0, 0);
  canvas.clearRect(0, 0, width, height);
  canvas.lineJoin = 'round';
  drawRelations(canvas, sigma, state);
  drawMarks(canvas, sigma, state);
  drawLabels(canvas, sigma, state);
};

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

function spotOf(sigma: Sigma, name: string): Spot | undefined {
  const data = sigma.getNodeDisplayData(name);
  if (data === undefined || data.hidden) return undefined;
  const { x, y } = sigma.framedGraphToViewport(data);
  return { x, y, size: sigma.scaleSize(data.size) };
}

/** The relations that touch the selected node, or those of a path. */
function shownEdges(graph: Graph, { selected, hovered, path }: DrawState): string[] {
  if (path.length > 1) {
    return path.slice(1).flatMap((name, i) => {
      const before = path[i] ?? name;
      return graph.hasNode(before) && graph.hasNode(name) ? graph.edges(before, name) : [];
    });
  }
  const center = selected ?? hovered;
  return center !== undefined && graph.hasNode(center) ? graph.edges(center) : [];
}

const drawRelations: Drawn = (canvas, sigma, state) => {
  const graph = sigma.getGraph();
  const { palette, selected, hovered } = state;
  const center = selected ?? hovered;
  canvas.font = `10px ${palette.font}`;
  for (const edge of shownEdges(graph, state).slice(0, EDGES_MAX)) {
    const [from, to] = graph.extremities(edge).map((name) => spotOf(sigma, name));
    if (from === undefined || to === undefined) continue;
    drawArrow(canvas, from, to, palette.edgeStrong);
    const isOut = graph.source(edge) === center;
    const share = isOut ? EDGE_LABEL_AT : 1 - EDGE_LABEL_AT;
    const text = shortText(
      visibleText(String(graph.getEdgeAttribute(edge, 'label'))),
      LABEL_CHARS_MAX,
    );
    const x = from.x + (to.x - from.x) * share - canvas.measureText(text).width / 2;
    const y = from.y + (to.y - from.y) * share;
    if (Math.hypot(to.x - from.x, to.y - from.y) > 40)
      drawText(canvas, { text, x, y }, palette.ink3, palette.halo);
  }
};

function drawArrow(canvas: CanvasRenderingContext2D, from: Spot, to: Spot, colour: string): void {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const tipX = to.x - Math.cos(angle) * (to.size + 3);
  const tipY = to.y - Math.sin(angle) * (to.size + 3);
  canvas.strokeStyle = colour;
  canvas.fillStyle = colour;
  canvas.lineWidth = 1.25;
  canvas.beginPath();
  canvas.moveTo(from.x + Math.cos(angle) * from.size, from.y + Math.sin(angle) * from.size);
  canvas.lineTo(tipX, tipY);
  canvas.stroke();
  canvas.beginPath();
  canvas.moveTo(tipX, tipY);
  for (const side of [-0.4, 0.4]) {
    canvas.lineTo(tipX - 7 * Math.cos(angle + side), tipY - 7 * Math.sin(angle + side));
  }
  canvas.fill();
}

const drawMarks: Drawn = (canvas, sigma, { selected, hovered, path, pinned, palette }) => {
  const ring = (name: string, dash: number[]) => {
    const spot = spotOf(sigma, name);
    if (spot === undefined) return;
    canvas.strokeStyle = palette.accent;
    canvas.lineWidth = 2;
    canvas.setLineDash(dash);
    canvas.beginPath();
    canvas.arc(spot.x, spot.y, spot.size + 3.5, 0, 2 * Math.PI);
    canvas.stroke();
    canvas.setLineDash([]);
  };
  for (const name of path) ring(name, []);
  if (hovered !== undefined && hovered !== selected) ring(hovered, [3, 3]);
  if (selected !== undefined) ring(selected, []);
  for (const name of pinned) {
    const spot = spotOf(sigma, name);
    if (spot === undefined) continue;
    canvas.fillStyle = palette.ink;
    canvas.beginPath();
    canvas.arc(spot.x, spot.y, 2, 0, 2 * Math.PI);
    canvas.fill();
  }
};

const drawLabels: Drawn = (canvas, sigma, state) => {
  const { selected, hovered, order, palette } = state;
  const graph = sigma.getGraph();
  const fontOf = (name: string) => {
    if (name === selected) return `600 13px ${palette.font}`;
    return `${graph.degree(name) >= HUB_RELATIONS ? 500 : 400} 11px ${palette.font}`;
  };
  const first = [selected, hovered].filter((name) => name !== undefined && graph.hasNode(name));
  const names = new Set([...(first as string[]), ...order]);
  const candidates: (LabelCandidate & { readonly text: string })[] = [];
  for (const name of names) {
    if (candidates.length >= CANDIDATES_MAX) break;
    const spot = graph.hasNode(name) ? spotOf(sigma, name) : undefined;
    if (spot === undefined) continue;
    const { width, height } = sigma.getDimensions();
    if (spot.x < 0 || spot.y < 0 || spot.x > width || spot.y > height) continue;
    const isWhole = name === hovered || name === selected;
    const text = shortText(visibleText(name), isWhole ? 80 : LABEL_CHARS_MAX);
    canvas.font = fontOf(name);
    const textWidth = canvas.measureText(text).width;
    candidates.push({ name, text, ...spot, width: textWidth, height: LABEL_HEIGHT });
  }
  const texts = new Map(candidates.map(({ name, text }) => [name, text]));
  for (const { name, x, y } of placeLabels(candidates, sigma.getDimensions())) {
    canvas.font = fontOf(name);
    const isStrong = name === selected || name === hovered || graph.degree(name) >= HUB_RELATIONS;
    drawText(
      canvas,
      { text: texts.get(name) ?? name, x, y },
      isStrong ? palette.ink : palette.label,
      palette.halo,
    );
  }
};

/** On a halo of the canvas, so that lines behind do not disturb it. */
function drawText(
  canvas: CanvasRenderingContext2D,
  { text, x, y }: { readonly text: string; readonly x: number; readonly y: number },
  colour: string,
  halo: string,
): void {
  canvas.textBaseline = 'middle';
  canvas.strokeStyle = halo;
  canvas.lineWidth = 3;
  canvas.strokeText(text, x, y);
  canvas.fillStyle = colour;
  canvas.fillText(text, x, y);
}
