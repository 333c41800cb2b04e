/** Turns of agents' conversations (seed 004): logging them, and reading a session again. */
import { assert, MemoryError, quote } from '#errors.ts';
import { adviseOnId } from '#graph/id-advice.ts';
import { DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE } from '#graph/entity.ts';
import { parseId } from '#graph/ids.ts';
import { normaliseSessionId, sessionIdOf, type Turn, type TurnTexts } from '#graph/turn.ts';
import { toStorable } from '#graph/rules/text-rules.ts';
import { TURN_BYTES_MAX, TURN_TEXT_CHARS_MAX } from '#limits.ts';
import type { Store } from '#store/store.ts';
import { takeFitting } from '#memory/reading/answer-size.ts';
import type { World } from '#memory/world.ts';
import type { Writer } from '#memory/transaction.ts';

export interface NewTurn extends TurnTexts {
  /** A new session begins when it is left out. */
  readonly sessionId?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

export interface SessionPage {
  readonly turns: readonly Turn[];
  /** Turns of the whole session; 0 for one that does not exist. */
  readonly total: number;
  /** Where the next page begins; null for the last. */
  readonly nextOffset: number | null;
}

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Of all texts of the page together; the first item comes whole in any case. */
  readonly charsMax: number;
}

/** Turns read at a time: each may be a hundred thousand characters. */
const TURNS_PER_READ = 20;

export function turnUseCases(world: World, { write }: Writer) {
  const { store, now } = world;
  return {
    /** Throws `invalid_input` for a turn that says nothing, `limit_exceeded` for one that is too large. */
    add(given: NewTurn): Turn {
      const texts = readTexts(given);
      const nodeId = write(() => {
        const sessionId = given.sessionId ?? freeSessionId(world);
        const { agent = null, model = null } = given;
        const id = store.nodes.insert({
          kind: 'turn',
          confidence: DEFAULT_CONFIDENCE,
          importance: DEFAULT_IMPORTANCE,
          at: now,
        });
        store.turns.insert({
          nodeId: id,
          sessionId: normaliseSessionId(sessionId),
          ...texts,
          agent: agent === null ? null : toStorable(agent),
          model: model === null ? null : toStorable(model),
        });
        return id;
      });
      const [turn] = store.turns.findByIds([nodeId], TURN_TEXT_CHARS_MAX);
      assert(turn !== undefined, 'a turn just logged is there');
      return turn;
    },

    /** Oldest first, as many as fit. */
    listOfSession(given: string, request: PageRequest): SessionPage {
      const sessionId = normaliseSessionId(given);
      const total = store.sessions.find(sessionId)?.turnCount ?? 0;
      const turns = readFitting(world, sessionId, request);
      const end = request.offset + turns.length;
      return { turns, total, nextOffset: turns.length > 0 && end < total ? end : null };
    },
  };
}

/** Throws `not_found` when there is no turn of that id; nothing is to be there for undefined. */
export function requireTurn(store: Store, turnId: string | undefined): void {
  if (turnId === undefined) return;
  const nodeId = parseId('turn', turnId);
  if (nodeId !== undefined && store.turns.has(nodeId)) return;
  throw new MemoryError('not_found', `Turn ${quote(turnId)} not found.`, {
    hint: [
      adviseOnId(turnId, ['turn']) ?? [],
      'A source is the id of a turn that add_memory returned, such as turn_7; or leave it out. Nothing was stored.',
    ]
      .flat()
      .join(' '),
  });
}

function turnChars({ prompt, thought, response }: TurnTexts): number {
  return prompt.length + thought.length + response.length;
}

/** Reads a few at a time, so that no page of large turns has to be held to show its beginning. */
function readFitting(
  { store }: World,
  sessionId: string,
  { limit, offset, charsMax }: PageRequest,
): readonly Turn[] {
  const turns: Turn[] = [];
  let chars = 0;
  while (turns.length < limit && chars <= charsMax) {
    const wanted = Math.min(TURNS_PER_READ, limit - turns.length);
    const read = store.turns.listOfSession(sessionId, wanted, offset + turns.length);
    turns.push(...read);
    chars += read.reduce((sum, turn) => sum + turnChars(turn), 0);
    if (read.length < wanted) break;
  }
  return takeFitting(turns, charsMax, turnChars, 1);
}

function readTexts({ prompt, thought, response }: TurnTexts): TurnTexts {
  const texts = {
    prompt: toStorable(prompt),
    thought: toStorable(thought),
    response: toStorable(response),
  };
  if (Object.values(texts).every((text) => text.trim() === '')) {
    throw new MemoryError('invalid_input', 'prompt, thought and response are all empty.', {
      hint: 'Send what was asked, what was thought or what was answered. Nothing was stored.',
    });
  }
  const bytes = new TextEncoder().encode(JSON.stringify(texts)).byteLength;
  if (bytes <= TURN_BYTES_MAX) return texts;
  throw new MemoryError(
    'limit_exceeded',
    `prompt, thought and response take ${bytes} bytes as JSON, more than ${TURN_BYTES_MAX} together.`,
    { hint: 'Log the turn as two memories of the same sessionId. Nothing was stored.' },
  );
}

/** Sessions that begin in the same millisecond stay apart. */
function freeSessionId({ store, now }: World): string {
  let at = now;
  while (store.sessions.find(sessionIdOf(at)) !== undefined) at += 1;
  return sessionIdOf(at);
}
