/** The formats in which a graph leaves Skein. Labels are escaped so that no name can break one. */
import { assert } from '#errors.ts';
import { dotWriter } from './dot.ts';
import type { ExportEntity, ExportRelation, GraphWriter } from './graph-writer.ts';
import { graphmlWriter } from './graphml.ts';
import { jsonWriter } from './json.ts';
import { jsonlWriter } from './jsonl.ts';
import { mermaidWriter } from './mermaid.ts';

export const EXPORT_FORMATS = ['json', 'jsonl', 'mermaid', 'dot', 'graphml'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportGraph {
  readonly entities: readonly ExportEntity[];
  /** Both ends of each must be among `entities`. */
  readonly relations: readonly ExportRelation[];
}

interface Format {
  readonly open: () => GraphWriter;
  readonly mediaType: string;
  /** Of a file, without the dot. */
  readonly extension: string;
}

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  json: { open: jsonWriter, mediaType: 'application/json', extension: 'json' },
  jsonl: { open: jsonlWriter, mediaType: 'application/x-ndjson', extension: 'jsonl' },
  mermaid: { open: mermaidWriter, mediaType: 'text/vnd.mermaid; charset=utf-8', extension: 'mmd' },
  dot: { open: dotWriter, mediaType: 'text/vnd.graphviz; charset=utf-8', extension: 'dot' },
  graphml: { open: graphmlWriter, mediaType: 'application/graphml+xml', extension: 'graphml' },
};

/** For a graph that is written as it is read; see `GraphWriter` for the order of its parts. */
export function openGraphWriter(format: ExportFormat): GraphWriter {
  return FORMATS[format].open();
}

export function fileTypeOf(format: ExportFormat): Pick<Format, 'mediaType' | 'extension'> {
  return FORMATS[format];
}

/** Whether the format has room for observations, which are most of a graph. */
export function showsObservations(format: ExportFormat): boolean {
  return format !== 'mermaid' && format !== 'dot';
}

/** A whole graph, whose entities are numbered from 0 in the order given. */
export function writeGraph(format: ExportFormat, { entities, relations }: ExportGraph): string {
  const writer = openGraphWriter(format);
  const numbers = new Map(entities.map(({ name }, index) => [name, index]));
  const numberOf = (name: string): number => {
    const number = numbers.get(name);
    assert(number !== undefined, 'both ends of an exported relation are exported');
    return number;
  };
  return [
    writer.start(),
    ...entities.map((entity, index) => writer.entity(entity, index)),
    writer.between(),
    ...relations.map((one) => writer.relation(one, numberOf(one.from), numberOf(one.to))),
    writer.end(),
  ].join('');
}
