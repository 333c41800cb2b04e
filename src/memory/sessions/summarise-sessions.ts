/** Summaries of sessions (seed 004): making them, reading them, deleting them. Turns are never touched. */
import { assert } from '#errors.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import type { Summary, SummaryCategory } from '#graph/summary.ts';
import { normaliseSessionId, type TurnTexts } from '#graph/turn.ts';
import { SUMMARISED_CHARS_PER_CALL_MAX } from '#limits.ts';
import type { SessionState } from '#store/sessions/sessions.ts';
import type { Store } from '#store/store.ts';
import type { MadeSummary } from '#summarise/summarizer.ts';
import { takeFitting } from '#memory/reading/answer-size.ts';
import type { PageRequest } from './turns.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface SummarisedSessions {
  readonly summaries: readonly Summary[];
  /** Sessions to which turns were added while their summary was being made: it was dropped. */
  readonly overtaken: number;
  /** Sessions of the whole thread whose summary is missing or older than a turn. */
  readonly remaining: number;
}

export interface SummaryPage {
  readonly summaries: readonly Summary[];
  /** Of the category, when one was asked for. */
  readonly total: number;
  readonly nextOffset: number | null;
}

export function summaryUseCases(world: World, { write }: Writer) {
  const { store, summarizer } = world;
  const remaining = () => store.counters.sessionTotals().unsummarisedSessions;

  return {
    /**
     * Some of the sessions whose summary is missing or older than a turn; the one named alone, and
     * none when that is unknown or its summary is up to date.
     */
    async summarise(sessionId: string | undefined): Promise<SummarisedSessions> {
      // Read before the first wait, so that every summary is of the state that it is checked against.
      const read = readFitting(store, listWaiting(world, sessionId));
      const made = await Promise.all(
        read.map(async ({ session, turns }) => ({
          session,
          made: await summarizer.summarize(turns),
        })),
      );
      const written = write(() =>
        made
          .filter(({ session }) => isUnchanged(world, session))
          .map((one) => writeSummary(world, one.session, one.made)),
      );
      return {
        summaries: store.summaries.findByIds(written),
        overtaken: read.length - written.length,
        remaining: remaining(),
      };
    },

    /** Those made last come first, as many as fit. */
    list(category: SummaryCategory | undefined, request: PageRequest): SummaryPage {
      const { limit, offset, charsMax } = request;
      const total =
        category === undefined
          ? store.counters.sessionTotals().summaries
          : store.counters.summariesOf(category);
      const nodeIds = store.sessions.listSummaries(category ?? null, limit, offset);
      const found = store.summaries.findByIds(nodeIds);
      const summaries = takeFitting(found, charsMax, summaryChars, 1);
      const end = offset + summaries.length;
      return { summaries, total, nextOffset: summaries.length > 0 && end < total ? end : null };
    },

    /** Returns how many there were. */
    removeAll: (): number => write(() => store.summaries.removeAll()),
  };
}

interface ReadSession {
  readonly session: SessionState;
  readonly turns: readonly TurnTexts[];
}

/** As many of the sessions as one call has time for, and one at least. */
function readFitting({ turns }: Store, sessions: readonly SessionState[]): ReadSession[] {
  const read: ReadSession[] = [];
  let chars = 0;
  for (const session of sessions) {
    const digest = turns.digest(session);
    chars += digest.reduce(
      (sum, { prompt, thought, response }) =>
        sum + prompt.length + thought.length + response.length,
      0,
    );
    if (read.length > 0 && chars > SUMMARISED_CHARS_PER_CALL_MAX) break;
    read.push({ session, turns: digest });
  }
  return read;
}

/** Field names and numbers, about. */
const SUMMARY_OVERHEAD_CHARS = 300;

function summaryChars({ title, summary }: Summary): number {
  return SUMMARY_OVERHEAD_CHARS + title.length + summary.length;
}

function listWaiting(
  { store, summarizer }: World,
  sessionId: string | undefined,
): readonly SessionState[] {
  if (sessionId === undefined) return store.sessions.listUnsummarised(summarizer.sessionsPerCall);
  const session = store.sessions.find(normaliseSessionId(sessionId));
  return session?.isUnsummarised === true ? [session] : [];
}

/** While the summary was being made, another call may have added a turn, or made it as well. */
function isUnchanged({ store }: World, session: SessionState): boolean {
  const now = store.sessions.find(session.sessionId);
  return (
    now !== undefined &&
    now.isUnsummarised &&
    now.turnCount === session.turnCount &&
    now.lastTurnAt === session.lastTurnAt
  );
}

/** Returns its node id: a session keeps the node of its summary. */
function writeSummary(
  { store, now }: World,
  { sessionId, turnCount }: SessionState,
  { content, madeBy }: MadeSummary,
): number {
  // Read again: the session may have got its summary while this one was made.
  const known = store.sessions.find(sessionId)?.summaryId ?? null;
  if (known !== null) {
    store.nodes.update(known, { source: madeBy }, now);
    store.summaries.rewrite({ ...content, nodeId: known, sessionId, turnCount });
    return known;
  }
  const nodeId = store.nodes.insert({
    kind: 'summary',
    confidence: DEFAULT_CONFIDENCE,
    importance: DEFAULT_IMPORTANCE,
    source: madeBy,
    at: now,
  });
  store.summaries.insert({ ...content, nodeId, sessionId, turnCount });
  assert(store.sessions.find(sessionId)?.summaryId === nodeId, 'a session knows its summary');
  return nodeId;
}
