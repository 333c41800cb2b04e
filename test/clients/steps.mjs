/**
 * What every client does: connects, lists the tools, saves, recalls, and is refused with our advice.
 * `node steps.mjs <client>` prints a line of JSON for each step: `{ "step", "ok", "detail" }`.
 */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [client = ''] = process.argv.slice(2);
const url = process.env['SKEIN_URL'] ?? '';

const SAVED = {
  entities: [
    {
      name: 'Andrii',
      entityType: 'Person',
      observations: ['Works at Google'],
      relations: [{ targetEntity: 'Google', relationType: 'works at' }],
    },
    {
      name: 'Google',
      entityType: 'Company',
      observations: ['Has its seat in Mountain View'],
      relations: [{ targetEntity: 'Andrii', relationType: 'employs' }],
    },
  ],
};
const REFUSED = {
  entities: [
    {
      name: 'Olena',
      entityType: 'Person',
      observations: ['Works at Google. Uses Windows. Lives in Kyiv.'],
      relations: [],
    },
  ],
};

/** Each throws unless the answer, as a model would see it, is the expected one. */
const STEPS = {
  async 'list tools'({ list }) {
    const names = await list();
    expectText(names.join(' '), /save_memory/);
    return `${names.length} tools`;
  },
  async save_memory({ call }) {
    expectText(await call('save_memory', SAVED), /"?success"?\\*"?: ?true/);
  },
  async recall({ call }) {
    expectText(await call('recall', { query: 'Where does Andrii work?' }), /Works at Google/);
  },
  async refusal({ call }) {
    const text = await call('save_memory', REFUSED);
    expectText(text, /1\) 'Works at Google\.'/);
    expectText(text, /relation/i);
  },
};

function expectText(text, pattern) {
  if (!pattern.test(text)) throw new Error(`No ${pattern} in: ${text.slice(0, 600)}`);
}

function print(step, ok, detail) {
  console.log(JSON.stringify({ step, ok, detail }));
}

let connection;
try {
  const { connect } = await import(pathToFileURL(join(import.meta.dirname, `${client}.mjs`)).href);
  connection = await connect(url);
  print('connect', true);
} catch (error) {
  print('connect', false, String(error));
}
if (connection !== undefined) {
  for (const [step, run] of Object.entries(STEPS)) {
    try {
      // Each step relies on the one before.
      print(step, true, await run(connection));
    } catch (error) {
      print(step, false, String(error));
    }
  }
  await connection.close();
}
process.exit(0);
