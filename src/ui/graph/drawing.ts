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
  /** The selected node and its neighbours; empty without a selection. */
  readonly near: ReadonlySet<string>;
  /** Names in the order in which they get a label. */
  readonly order: readonly string[];
}

const LABEL_CHARS_MAX = 24;
/** Labels that are tried in one frame; those of the most connected nodes come first. */
const CANDIDATES_MAX = 220;
const WIDTHS_KEPT_MAX = 20_000;
const HUB_RELATIONS = 5;
const LABEL_HEIGHT = 14;
const EDGES_MAX = 120;
const EDGE_LENGTH_MIN = 40;
const WHOLE_CHARS_MAX = 80;
/** Before the key of a relation: no name of an entity begins with a control character. */
const RELATION_KEY = '\u0000';
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

interface TextCandidate extends LabelCandidate {
  readonly text: string;
  readonly font: string;
  readonly colour: string;
}

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
  for (const edge of shownEdges(graph, state).slice(0, EDGES_MAX)) {
    const [from, to] = graph.extremities(edge).map((name) => spotOf(sigma, name));
    if (from && to) drawArrow(canvas, from, to, state.palette.edgeStrong);
  }
};

/** Types of the shown relations, where there is room on the way. */
function relationLabels(
  canvas: CanvasRenderingContext2D,
  sigma: Sigma,
  state: DrawState,
): TextCandidate[] {
  const graph = sigma.getGraph();
  const center = state.selected ?? state.hovered;
  const font = `10px ${state.palette.font}`;
  canvas.font = font;
  return shownEdges(graph, state)
    .slice(0, EDGES_MAX)
    .flatMap((edge) => {
      const [from, to] = graph.extremities(edge).map((name) => spotOf(sigma, name));
      if (!from || !to || Math.hypot(to.x - from.x, to.y - from.y) < EDGE_LENGTH_MIN) return [];
      const share = graph.source(edge) === center ? EDGE_LABEL_AT : 1 - EDGE_LABEL_AT;
      const label = visibleText(String(graph.getEdgeAttribute(edge, 'label')));
      const text = shortText(label, LABEL_CHARS_MAX);
      return {
        name: `${RELATION_KEY}${edge}`,
        text,
        font,
        colour: state.palette.ink3,
        x: from.x + (to.x - from.x) * share,
        y: from.y + (to.y - from.y) * share,
        size: 0,
        width: widthOf(canvas, text),
        height: LABEL_HEIGHT,
        isCentered: true,
      };
    });
}

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

/** First the selected node and its neighbours, then the relations between them, then the others. */
const drawLabels: Drawn = (canvas, sigma, state) => {
  const { selected, hovered, order, palette, near } = state;
  const first = [selected, hovered, ...near].filter((name) => name !== undefined);
  const candidates = [
    ...nodeLabels(canvas, sigma, state, first),
    ...relationLabels(canvas, sigma, state),
    ...nodeLabels(canvas, sigma, state, order),
  ];
  const byName = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  for (const { name, x, y } of placeLabels([...byName.values()], sigma.getDimensions())) {
    const { text = name, font = '', colour = palette.ink } = byName.get(name) ?? {};
    canvas.font = font;
    drawText(canvas, { text, x, y }, colour, palette.halo);
  }
};

function nodeLabels(
  canvas: CanvasRenderingContext2D,
  sigma: Sigma,
  { selected, hovered, palette }: DrawState,
  names: readonly string[],
): TextCandidate[] {
  const graph = sigma.getGraph();
  const { width, height } = sigma.getDimensions();
  const candidates: TextCandidate[] = [];
  for (const name of names) {
    if (candidates.length >= CANDIDATES_MAX) break;
    const spot = graph.hasNode(name) ? spotOf(sigma, name) : undefined;
    if (!spot || spot.x < 0 || spot.y < 0 || spot.x > width || spot.y > height) continue;
    const isHub = graph.degree(name) >= HUB_RELATIONS;
    const isOpen = name === selected || name === hovered;
    const text = shortText(visibleText(name), isOpen ? WHOLE_CHARS_MAX : LABEL_CHARS_MAX);
    const font =
      name === selected ? `600 13px ${palette.font}` : `${isHub ? 500 : 400} 11px ${palette.font}`;
    canvas.font = font;
    candidates.push({
      name,
      text,
      font,
      ...spot,
      colour: isHub || isOpen ? palette.ink : palette.label,
      width: widthOf(canvas, text),
      height: LABEL_HEIGHT,
    });
  }
  return candidates;
}

/** Measuring is slow, and each frame wants the same texts. */
const widths = new Map<string, number>();

function widthOf(canvas: CanvasRenderingContext2D, text: string): number {
  const key = `${canvas.font}\n${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size > WIDTHS_KEPT_MAX) widths.clear();
  const { width } = canvas.measureText(text);
  widths.set(key, width);
  return width;
}

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
