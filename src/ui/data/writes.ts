/**
 * Every change that the page makes. One way for all: the tool is called, what it made stale is asked again,
 * and the way back is offered by the revision that it made.
 */
import { useContext } from 'preact/hooks';
import type { RelationWire, ToolName, ToolWire } from '#http/wire.ts';
import { useRouter } from '../app/router.ts';
import { useToaster } from '../kit/toasts.tsx';
import { countOf } from '../text/numbers.ts';
import { callTool } from './api.ts';
import type { QueryCache } from './cache.ts';
import { refreshEntities } from './graph.ts';
import { useSession } from './session.ts';
import { CacheContext } from './use-query.ts';

const LATEST = 5;

export interface Writes {
  readonly addFact: (entity: string, content: string) => Promise<void>;
  readonly correctFact: (entity: string, id: string, content: string) => Promise<void>;
  readonly deleteFact: (entity: string, id: string) => Promise<void>;
  readonly addRelation: (relation: RelationKey) => Promise<void>;
  readonly deleteRelation: (relation: RelationKey) => Promise<void>;
  readonly renameEntity: (name: string, newName: string) => Promise<void>;
  readonly mergeEntities: (source: string, target: string) => Promise<void>;
  readonly deleteEntity: (name: string) => Promise<void>;
  readonly createEntity: (name: string, entityType: string, facts: string[]) => Promise<void>;
  readonly undo: (revision: number, cascade?: boolean) => Promise<void>;
}

export type RelationKey = Pick<RelationWire, 'from' | 'to' | 'relationType'>;

/** Each of them throws an `ApiError` when the server refuses; nothing has changed then. */
export function useWrites(threadId: string): Writes {
  const cache = useContext(CacheContext);
  const { actor } = useSession();
  const toaster = useToaster();
  const { go } = useRouter();

  const undo = async (revision: number, cascade = false) => {
    const { undone } = await callTool(threadId, 'undo_revision', { revision, cascade });
    const redo = await findRevision(threadId, 'undo_revision', actor);
    const others = undone.map((one) => one.revision).filter((one) => one !== revision);
    toaster.show({
      text: `Revision ${revision} undone.`,
      ...(others.length > 0 && { detail: `With it ${others.join(', ')}.` }),
      ...(redo !== undefined && { action: undoAction(redo) }),
    });
    refresh(cache, threadId);
  };
  /** Where something was built on it, the history shows what. */
  const undoAction = (revision: number) => ({
    label: 'Undo',
    run: () =>
      void undo(revision).catch((error: unknown) =>
        toaster.show({
          text: `Not undone. ${error instanceof Error ? error.message : ''}`,
          action: { label: 'Look', run: () => go({ view: 'history', open: String(revision) }) },
        }),
      ),
  });
  async function write<Name extends ToolName>(
    tool: Name,
    input: ToolWire[Name]['input'],
    touched: readonly string[],
    say: (output: ToolWire[Name]['output']) => { readonly text: string; readonly detail?: string },
  ): Promise<void> {
    const output = await callTool(threadId, tool, input);
    const own = (output as { revision?: number }).revision;
    const revision = own ?? (await findRevision(threadId, tool, actor));
    toaster.show({ ...say(output), ...(revision && { action: undoAction(revision) }) });
    const isRead = await refreshEntities(cache, threadId, touched).catch(() => false);
    refresh(cache, threadId, isRead);
  }
  return { ...factWrites(write), ...entityWrites(write), undo };
}

type Write = <Name extends ToolName>(
  tool: Name,
  input: ToolWire[Name]['input'],
  /** Names of entities that are different afterwards, or gone. */
  touched: readonly string[],
  say: (output: ToolWire[Name]['output']) => { readonly text: string; readonly detail?: string },
) => Promise<void>;

function factWrites(write: Write) {
  return {
    addFact: (entityName: string, content: string) =>
      write(
        'add_observations',
        { observations: [{ entityName, contents: [content] }] },
        [entityName],
        (out) => {
          const [id] = out.results[0]?.ids ?? [];
          return id === undefined
            ? { text: 'This fact was known already.' }
            : { text: 'Fact added.', detail: id };
        },
      ),
    correctFact: (entityName: string, observationId: string, newContent: string) =>
      write(
        'update_observation',
        { entityName, observationId, newContent },
        [entityName],
        ({ observation }) => ({
          text: 'Fact corrected.',
          detail: `${observation.id} is version ${observation.version}.`,
        }),
      ),
    deleteFact: (entityName: string, id: string) =>
      write(
        'delete_observations',
        { deletions: [{ entityName, observations: [id] }] },
        [entityName],
        () => ({
          text: 'Fact deleted.',
        }),
      ),
    addRelation: (relation: RelationKey) =>
      write(
        'create_relations',
        { relations: [relation] },
        [relation.from, relation.to],
        ({ skipped }) => ({
          text: skipped.length > 0 ? 'This relation was known already.' : 'Relation added.',
        }),
      ),
    deleteRelation: ({ from, to, relationType }: RelationKey) =>
      write('delete_relations', { relations: [{ from, to, relationType }] }, [from, to], () => ({
        text: 'Relation deleted.',
      })),
  };
}

function entityWrites(write: Write) {
  return {
    renameEntity: (entityName: string, newName: string) =>
      write('rename_entity', { entityName, newName }, [entityName, newName], () => ({
        text: 'Renamed.',
      })),
    mergeEntities: (source: string, target: string) =>
      write('merge_entities', { source, target }, [source, target], ({ addedObservations }) => ({
        text: `Merged, ${countOf(addedObservations, 'fact')} moved.`,
      })),
    deleteEntity: (name: string) =>
      write('delete_entities', { entityNames: [name] }, [name], ({ deletedObservations }) => ({
        text: `Entity deleted with ${countOf(deletedObservations, 'fact')}.`,
      })),
    createEntity: (name: string, entityType: string, observations: string[]) =>
      write('create_entities', { entities: [{ name, entityType, observations }] }, [name], () => ({
        text: 'Entity added.',
      })),
  };
}

/** Everything of the thread, and the list of threads; not the graph of now where that is known already. */
export function refresh(cache: QueryCache, threadId: string, isGraphKnown = false): void {
  cache.invalidate([threadId], ([, what, at]) => isGraphKnown && what === 'graph' && at === '');
  cache.invalidate(['threads']);
}

/** The revision of a call that has just been made, for tools that do not name it. */
async function findRevision(
  threadId: string,
  tool: string,
  actor: string,
): Promise<number | undefined> {
  const { changes } = await callTool(threadId, 'get_recent_changes', { limit: LATEST });
  return changes.find((change) => change.tool === tool && change.actor === actor)?.revision;
}
