/** Writes a graph as its pages come, holding one page, and of the rest the ids alone. */
import type { ExportedEntity, ExportPage } from '#memory/files/stream-graph.ts';
import { openGraphWriter, type ExportFormat } from './graph-formats.ts';
import type { GraphWriter } from './graph-writer.ts';

/** Yields the text of a page at a time, never an empty one; fails when reading a page does. */
export async function* writeExport(
  format: ExportFormat,
  pages: AsyncIterable<ExportPage>,
): AsyncGenerator<string, void, undefined> {
  const writer = openGraphWriter(format);
  const writePage = openPageWriter(writer);
  const start = writer.start();
  if (start !== '') yield start;
  for await (const page of pages) {
    const text = writePage(page);
    if (text !== '') yield text;
  }
  const end = writer.end();
  if (end !== '') yield end;
}

/**
 * An entity is written when all its observations are there. A relation is written between entities
 * that were: others may delete and add between two pages.
 */
function openPageWriter(writer: GraphWriter): (page: ExportPage) => string {
  const written = new Set<number>();
  let waiting: ExportedEntity | undefined;
  let isBetween = false;

  function writeWaiting(): string {
    if (waiting === undefined) return '';
    written.add(waiting.id);
    const text = writer.entity(waiting, waiting.id);
    waiting = undefined;
    return text;
  }

  return (page) => {
    const parts: string[] = [];
    if (page.part === 'entities') {
      for (const entity of page.entities) {
        const begun = waiting?.id === entity.id ? waiting : undefined;
        if (begun === undefined) parts.push(writeWaiting());
        const observations = [...(begun?.observations ?? []), ...entity.observations];
        waiting = { ...entity, observations };
      }
      return parts.join('');
    }
    parts.push(writeWaiting());
    if (!isBetween) parts.push(writer.between());
    isBetween = true;
    const relations = page.relations.filter(
      ({ fromId, toId }) => written.has(fromId) && written.has(toId),
    );
    parts.push(...relations.map((one) => writer.relation(one, one.fromId, one.toId)));
    return parts.join('');
  };
}
