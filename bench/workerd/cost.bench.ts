/** `npm run bench:cost`: what a call of each tool reads, writes and says, by the size of the graph. */
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { test } from 'vitest';
import { MemoryError } from '#errors.ts';
import { estimateTokens } from '#graph/text/tokens.ts';
import { threadObjectName } from '#thread/thread-address.ts';
import { findTool } from '#tools/catalog.ts';
import { formatCount, type BenchMeta, type BenchTable } from '../support/bench-table.ts';
import { inventThread, RARE_WORD, type EntityDraft } from '../support/invented-thread.ts';
import { openBenchThread, type BenchThread } from './bench-thread.ts';
import { seedThread } from './seeding.ts';
import { listCases, PLACES_APART, subjectAt, type Case } from './tool-cases.ts';
import { TOOL_INPUTS } from './tool-inputs.ts';
import { wordEmbedder } from './word-embedder.ts';

const SIZES = [1_000, 10_000, 50_000];
const PER_ENTITY = { factsPerEntity: 2, relationsPerEntity: 3 };

/** Rows that a call may read more on a larger thread before it counts as growing. */
const GROWTH_MAX = { times: 1.5, rows: 100 };

/** What a call cost; or why it was refused. */
type Cost =
  | { readonly rowsRead: number; readonly rowsWritten: number; readonly tokens: number }
  | { readonly refused: string };

test('what a call of each tool costs', async ({ task }) => {
  const cases = listCases();
  const costs: Cost[][] = [];
  for (const entities of SIZES) {
    const name = threadObjectName({ subject: 'bench', threadId: `${entities}` });
    await runInDurableObject(env.THREAD.getByName(name), async (_, { storage }) => {
      const embedder = wordEmbedder();
      const thread = openBenchThread(storage, embedder);
      const drafts = [...inventThread({ entities, ...PER_ENTITY })];
      await seedThread(thread.store, embedder, drafts);
      // Loads the vectors, once for all that follow.
      await thread.call('search_memories', { query: RARE_WORD });
      costs.push(await measureCases(thread, cases, drafts));
    });
  }
  const missing = Object.keys(TOOL_INPUTS).filter((name) => findTool(name) === undefined);
  if (missing.length > 0)
    console.log(`Left out, since there are no such tools: ${missing.join(', ')}.`);

  Object.assign(task.meta, { tables: [tabulate(cases, costs)] } satisfies BenchMeta);
});

async function measureCases(
  thread: BenchThread,
  cases: readonly Case[],
  drafts: readonly EntityDraft[],
): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const [index, { tool, input }] of cases.entries()) {
    try {
      for (const step of input ? [] : (tool.example.given ?? [])) {
        await thread.call(step.tool, step.input);
      }
      const subject = subjectAt(thread, drafts, 1 + index * PLACES_APART);
      const call = await thread.call(tool.name, input ? input(subject) : tool.example.input);
      const { value, rowsRead, rowsWritten } = call;
      const tokens = estimateTokens(tool.text(value) ?? JSON.stringify(value));
      costs.push({ rowsRead, rowsWritten, tokens });
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      costs.push({ refused: error.code });
    }
  }
  return costs;
}

function tabulate(cases: readonly Case[], costs: readonly Cost[][]): BenchTable {
  return {
    name: 'cost',
    head: ['Tool', 'Call', ...SIZES.map((size) => `${formatCount(size)} entities`), 'Grows'],
    rows: cases.map(({ tool, name }, index) => {
      const sizes = costs.map((all) => all[index] ?? { refused: 'missing' });
      return [`\`${tool.name}\``, name, ...sizes.map(formatCost), namesGrowth(sizes)];
    }),
  };
}

function formatCost(cost: Cost): string {
  if ('refused' in cost) return `refused: ${cost.refused}`;
  return [cost.rowsRead, cost.rowsWritten, cost.tokens].map(formatCount).join(' / ');
}

/** What of a call is more on the largest thread than on the smallest. */
function namesGrowth(sizes: readonly Cost[]): string {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last || 'refused' in first || 'refused' in last) return '';
  const grows = (before: number, after: number) =>
    after > before * GROWTH_MAX.times && after > before + GROWTH_MAX.rows;
  return [
    grows(first.rowsRead, last.rowsRead) ? 'reads' : '',
    grows(first.rowsWritten, last.rowsWritten) ? 'writes' : '',
    grows(first.tokens, last.tokens) ? 'tokens' : '',
  ]
    .filter((one) => one !== '')
    .join(', ');
}
