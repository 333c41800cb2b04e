/** Reads exported graphs with the programs that their formats are made for. */
import { instance } from '@viz-js/viz';
import { JSDOM } from 'jsdom';
import { SaxesParser } from 'saxes';

/** Labels as a reader of the picture sees them, after every escape has been resolved. */
export interface DrawnGraph {
  readonly nodes: readonly { readonly id: string; readonly label: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string }[];
}

const graphviz = await instance();

/** One for all pictures: to make a window takes longer than to read one. */
const { DOMParser } = new JSDOM('').window;

/** Lays the graph out with Graphviz. */
export function drawDot(text: string): DrawnGraph {
  const svg = graphviz.renderString(text, { format: 'svg', engine: 'dot' });
  const picture = new DOMParser().parseFromString(svg, 'image/svg+xml');
  /** Each has an id such as `node3`, numbered in the order of the text. */
  const drawn = (kind: 'node' | 'edge') =>
    [...picture.querySelectorAll(`g.${kind}`)]
      .toSorted((a, b) => Number(a.id.slice(kind.length)) - Number(b.id.slice(kind.length)))
      .map((group) => ({
        title: group.querySelector('title')?.textContent ?? '',
        label: [...group.querySelectorAll('text')].map((line) => line.textContent).join('\n'),
      }));
  return {
    nodes: drawn('node').map(({ title, label }) => ({ id: title, label })),
    edges: drawn('edge').map(({ title, label }) => {
      const [from = '', to = ''] = title.split('->');
      return { from, to, label };
    }),
  };
}

const mermaid = await openMermaid();
let drawings = 0;

/** Parses with Mermaid's own grammar and renders the picture, whose text is what counts. */
export async function drawMermaid(text: string): Promise<DrawnGraph> {
  drawings += 1;
  const { svg } = await mermaid.render(`drawing-${drawings}`, text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const { vertices, edges } = db as unknown as {
    vertices: Map<string, { id: string }>;
    edges: { start: string; end: string; id: string }[];
  };
  const picture = new DOMParser().parseFromString(`<body>${svg}</body>`, 'text/html');
  for (const lineBreak of picture.querySelectorAll('foreignObject br')) lineBreak.replaceWith('\n');
  /** Texts by a name: to look for each in the whole picture takes seconds. */
  const textsBy = (selector: string, nameOf: (element: Element) => string | undefined) => {
    const texts = new Map<string | undefined, string[]>();
    for (const element of picture.querySelectorAll(selector)) {
      const name = nameOf(element);
      texts.set(name, [...(texts.get(name) ?? []), element.textContent ?? '']);
    }
    return (name: string) => {
      const found = texts.get(name) ?? [];
      if (found.length !== 1) throw new Error(`${name} is drawn ${found.length} times.`);
      return found[0] ?? '';
    };
  };
  const nodeText = textsBy('.node .nodeLabel', (label) =>
    label.closest('.node')?.id.slice(`drawing-${drawings}-flowchart-`.length).replace(/-\d*$/, ''),
  );
  const edgeText = textsBy(
    '.edgeLabels [data-id] .edgeLabel',
    (label) => label.closest('[data-id]')?.getAttribute('data-id') ?? undefined,
  );
  return {
    nodes: [...vertices.values()].map(({ id }) => ({
      id,
      label: nodeText(id),
    })),
    edges: edges.map(({ start, end, id }) => ({
      from: start,
      to: end,
      label: edgeText(id),
    })),
  };
}

/** Mermaid measures what it draws, which nothing but a browser can: here all is of one size. */
async function openMermaid() {
  const { window } = new JSDOM('<body></body>', { pretendToBeVisual: true });
  const { document, Element, SVGElement, CSSStyleSheet } = window;
  Object.assign(Element.prototype, {
    getBBox: () => ({ x: 0, y: 0, width: 10, height: 10 }),
    getComputedTextLength: () => 10,
  });
  Object.assign(globalThis, { window, document, Element, SVGElement, CSSStyleSheet });
  const { default: library } = await import('mermaid');
  library.initialize({ startOnLoad: false, suppressErrorRendering: true });
  return library;
}

export interface GraphMl {
  readonly nodes: readonly Readonly<Record<string, string>>[];
  readonly edges: readonly Readonly<Record<string, string>>[];
}

const GRAPHML = 'http://graphml.graphdrawing.org/xmlns';

/** Reads with a parser that refuses whatever XML 1.0 does; data stand under their keys' names. */
export function readGraphMl(text: string): GraphMl {
  const keys = new Map<string, string>();
  const nodes: Record<string, string>[] = [];
  const edges: Record<string, string>[] = [];
  let item: Record<string, string> = {};
  let field: string | undefined;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (uri !== GRAPHML) throw new Error(`${local} is not of GraphML.`);
    const values = Object.fromEntries(
      Object.values(attributes).map(({ name, value }) => [name, value]),
    );
    if (local === 'key') keys.set(values['id'] ?? '', `${values['for']} ${values['attr.name']}`);
    if (local === 'node') nodes.push((item = { id: values['id'] ?? '' }));
    if (local === 'edge') {
      edges.push((item = { source: values['source'] ?? '', target: values['target'] ?? '' }));
    }
    if (local === 'data') {
      field = keys.get(values['key'] ?? '');
      if (field === undefined) throw new Error(`No key ${values['key']}.`);
      item[field] = '';
    }
  });
  parser.on('text', (part) => {
    if (field !== undefined) item[field] += part;
    else if (part.trim() !== '') throw new Error('Text outside of data.');
  });
  parser.on('closetag', ({ local }) => {
    if (local === 'data') field = undefined;
  });
  parser.write(text).close();
  return { nodes, edges };
}
