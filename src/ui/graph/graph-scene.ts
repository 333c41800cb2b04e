/** The graph on the screen: Sigma draws nodes and edges, a canvas above it what has to be read. */
import Graph from 'graphology';
import Sigma from 'sigma';
import { keep, readKept } from '../data/kept.ts';
import type { ColourOf } from '../data/type-colours.ts';
import { mix, readPalette, type Palette } from './colours.ts';
import { drawOverlay } from './drawing.ts';
import { beginLayout, keepPlaces, readPlaces, type Layout } from './layout.ts';
import type { Places } from './starting-points.ts';
import { countDegrees, neighboursOf, type VisibleGraph } from './visible-graph.ts';

export interface SceneInput {
  readonly threadId: string;
  readonly graph: VisibleGraph;
  readonly selected: string | undefined;
  readonly path: readonly string[];
  readonly pinned: ReadonlySet<string>;
  readonly colourOf: ColourOf;
}

export interface SceneCallbacks {
  readonly onSelect: (name: string | undefined) => void;
  /** A node was put somewhere by hand. */
  readonly onPin: (name: string) => void;
}

/** Above this number of nodes edges fade, so that they do not fill the canvas. */
const MANY = 400;
/** Nodes of a large graph are drawn smaller, so that they do not cover each other. */
const SCALE_MIN = 0.4;
const CAMERA_KEPT_MS = 400;

export class GraphScene {
  readonly #sigma: Sigma;
  readonly #graph = new Graph({ multi: true, type: 'directed' });
  readonly #overlay: CanvasRenderingContext2D;
  readonly #threadId: string;
  #places: Places;
  #palette: Palette = readPalette();
  #input: SceneInput | undefined;
  #order: readonly string[] = [];
  #near: ReadonlySet<string> = new Set();
  #hovered: string | undefined;
  #layout: Layout | undefined;

  constructor(container: HTMLElement, threadId: string, callbacks: SceneCallbacks) {
    this.#threadId = threadId;
    this.#places = readPlaces(threadId);
    this.#sigma = new Sigma(this.#graph, container, {
      renderLabels: false,
      allowInvalidContainer: true,
      minEdgeThickness: 1.25,
      defaultEdgeColor: this.#palette.edge,
      stagePadding: 48,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      zoomToSizeRatioFunction: (ratio) => Math.sqrt(ratio) ** 0.6,
      nodeReducer: (name, data) => ({
        ...data,
        color: this.#colourOf(name, String(data['entityType'])),
      }),
      edgeReducer: (_, data) => ({ ...data, color: this.#edgeColour() }),
    });
    const canvas = this.#sigma.createCanvas('overlay', { style: { pointerEvents: 'none' } });
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('The browser draws no canvas.');
    this.#overlay = context;
    this.#listen(container, callbacks);
    const camera = readKept<{ x: number; y: number; ratio: number }>(`camera:${threadId}`);
    if (camera !== undefined) this.#sigma.getCamera().setState(camera);
  }

  /** Brings the drawing to what is to be seen. Nodes that have a place stay there. */
  show(input: SceneInput): void {
    const isNewGraph = this.#input?.graph !== input.graph;
    this.#input = input;
    const { selected, graph } = input;
    this.#near = selected === undefined ? new Set() : neighboursOf(selected, graph.relations);
    if (isNewGraph) this.#load(input);
    else this.#refresh();
  }

  readTheme(): void {
    this.#palette = readPalette();
    this.#refresh();
  }

  fit(): void {
    void this.#sigma.getCamera().animatedReset({ duration: 180 });
  }

  zoom(factor: number): void {
    void this.#sigma.getCamera().animatedZoom({ factor, duration: 120 });
  }

  /** Where a node is in the window; undefined for one that is not shown. */
  positionOf(name: string): { readonly x: number; readonly y: number } | undefined {
    const data = this.#graph.hasNode(name) ? this.#sigma.getNodeDisplayData(name) : undefined;
    return data && this.#sigma.framedGraphToViewport(data);
  }

  destroy(): void {
    this.#layout?.stop();
    this.#sigma.kill();
  }

  #load(input: SceneInput): void {
    const { entities, relations } = input.graph;
    const degrees = countDegrees(relations);
    const nodes = entities.map(({ name }) => ({ name, degree: degrees.get(name) ?? 0 }));
    const edges = relations.map(({ from, to }) => [from, to] as const);
    this.#layout?.stop();
    this.#layout = beginLayout(nodes, edges, this.#places, (places, isDone) => {
      if (isDone) keepPlaces(this.#threadId, places);
      this.#move(places);
    });
    const places = this.#layout.start;
    this.#places = places;
    this.#graph.clear();
    const scale = Math.min(1, Math.max(SCALE_MIN, (MANY / entities.length) ** 0.35));
    for (const { name, entityType } of entities) {
      const degree = degrees.get(name) ?? 0;
      const { x, y } = places.get(name) ?? { x: 0, y: 0 };
      this.#graph.addNode(name, {
        x,
        y: -y,
        entityType,
        size: scale * (2.4 + 2.15 * Math.sqrt(degree)),
      });
    }
    for (const { from, to, relationType } of relations) {
      this.#graph.addEdge(from, to, { label: relationType, size: 1 });
    }
    this.#sigma.setSetting('hideEdgesOnMove', entities.length > MANY * 5);
    this.#order = nodes.toSorted((a, b) => b.degree - a.degree).map(({ name }) => name);
    this.#refresh();
  }

  /** While a layout goes on. */
  #move(places: Places): void {
    this.#places = places;
    this.#graph.updateEachNodeAttributes((name, attributes) => {
      const place = places.get(name);
      return place === undefined ? attributes : { ...attributes, x: place.x, y: -place.y };
    });
  }

  #refresh(): void {
    this.#sigma.refresh();
  }

  /** With a selection the rest keeps its place in quieter ink. */
  #colourOf(name: string, entityType: string): string {
    const { types, halo } = this.#palette;
    const input = this.#input;
    const colour = types[input?.colourOf(entityType) ?? 0] ?? types[0] ?? halo;
    const isQuiet = this.#near.size > 0 && !this.#near.has(name);
    return isQuiet ? mix(colour, halo, 0.8) : colour;
  }

  #edgeColour(): string {
    const { edge, halo } = this.#palette;
    return this.#graph.order > MANY ? mix(edge, halo, 0.5) : edge;
  }

  #draw(): void {
    const input = this.#input;
    if (input === undefined) return;
    const { selected, path, pinned } = input;
    drawOverlay(this.#overlay, this.#sigma, {
      selected,
      path,
      pinned,
      near: this.#near,
      order: this.#order,
      hovered: this.#hovered,
      palette: this.#palette,
    });
  }

  #listen(container: HTMLElement, { onSelect, onPin }: SceneCallbacks): void {
    const sigma = this.#sigma;
    sigma.on('afterRender', () => this.#draw());
    sigma.on('resize', () => this.#fitOverlay());
    this.#fitOverlay();
    sigma.on('clickNode', ({ node }) => onSelect(node));
    sigma.on('clickStage', () => onSelect(undefined));
    const hover = (name: string | undefined) => {
      this.#hovered = name;
      container.style.cursor = name === undefined ? '' : 'pointer';
      this.#draw();
    };
    sigma.on('enterNode', ({ node }) => hover(node));
    sigma.on('leaveNode', () => hover(undefined));
    let timer: ReturnType<typeof setTimeout> | undefined;
    sigma.getCamera().on('updated', ({ x, y, ratio }) => {
      clearTimeout(timer);
      timer = setTimeout(() => keep(`camera:${this.#threadId}`, { x, y, ratio }), CAMERA_KEPT_MS);
    });
    this.#listenForDrags(onPin);
  }

  /** A node that is dragged stays where it is put. */
  #listenForDrags(onPin: (name: string) => void): void {
    const sigma = this.#sigma;
    let dragged: string | undefined;
    let hasMoved = false;
    sigma.on('downNode', ({ node }) => {
      dragged = node;
      hasMoved = false;
      if (!sigma.getCustomBBox()) sigma.setCustomBBox(sigma.getBBox());
    });
    sigma.getMouseCaptor().on('mousemovebody', (event) => {
      if (dragged === undefined) return;
      const { x, y } = sigma.viewportToGraph(event);
      hasMoved = true;
      this.#graph.mergeNodeAttributes(dragged, { x, y });
      this.#places = new Map(this.#places).set(dragged, { x, y: -y });
      event.preventSigmaDefault();
      event.original.preventDefault();
      event.original.stopPropagation();
    });
    sigma.getMouseCaptor().on('mouseup', () => {
      if (dragged !== undefined && hasMoved) {
        onPin(dragged);
        keepPlaces(this.#threadId, this.#places);
      }
      dragged = undefined;
    });
  }

  #fitOverlay(): void {
    const { width, height } = this.#sigma.getDimensions();
    const { canvas } = this.#overlay;
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
}
