import { expect, test } from 'vitest';
import { MemoryError } from '#errors.ts';
import { requireTool, selectTools, TOOLSETS } from '#tools/catalog.ts';
import type { Tool } from '#tools/define.ts';

const ADDRESS = new URL('https://skein.example/mcp/atlas');

interface Asked {
  readonly toolsets?: string;
  readonly isReadonly?: boolean;
  readonly isPermitted?: (tool: Tool) => boolean;
  readonly address?: URL;
}

/** What a caller is told that asks for a tool which is not there. */
function refusalOf(name: string, asked: Asked = {}): MemoryError {
  const { toolsets = null, isReadonly = false, isPermitted, address = ADDRESS } = asked;
  const options = { isReadonly, isBound: true, ...(isPermitted && { isPermitted }) };
  try {
    requireTool(name, selectTools(toolsets, options), address);
  } catch (error) {
    if (error instanceof MemoryError) return error;
    throw error;
  }
  throw new Error(`${name} is there.`);
}

test('a tool of another toolset is named with it, and with the address that switches it on', () => {
  const { code, message, hint } = refusalOf('rename_entity');

  expect(code).toBe('not_found');
  expect(message).toBe(
    "The tool 'rename_entity' is in the toolset 'threads', which this connection has not switched on.",
  );
  expect(hint).toBe('Connect to https://skein.example/mcp/atlas?toolsets=core,threads to have it.');
});

test('the address keeps what else it said, and the toolsets that are on', () => {
  const address = new URL('http://localhost:8787/mcp?readonly=1&toolsets=graph,sessions');
  const asked = { toolsets: 'graph,sessions', isReadonly: true, address };

  expect(refusalOf('search_memories', asked).hint).toBe(
    'Connect to http://localhost:8787/mcp?toolsets=graph,sessions,memories&readonly=1 to have it. This connection can only read.',
  );
});

test('a tool of another toolset that the credential may not call is not promised', () => {
  const { hint } = refusalOf('delete_thread', { isPermitted: ({ effect }) => effect !== 'remove' });

  expect(hint).toMatch(/\?toolsets=core,threads, with a credential that may do more/);
});

test('a tool that the connection is kept from is forbidden', () => {
  expect(refusalOf('save_memory', { isReadonly: true })).toMatchObject({
    code: 'forbidden',
    hint: 'This connection may not call it. This connection can only read.',
  });
});

test.each([
  ['get_entities', 'list_entities'],
  ['find_entities', 'list_entities'],
  ['get_observations', 'add_observations'],
  ['create_relation_', "create_relation (toolset 'nodes')"],
])('for %s a harmless tool is suggested', (name, suggested) => {
  const { hint } = refusalOf(name);

  expect(hint).toContain(`Did you mean`);
  expect(hint).toContain(suggested);
});

test.each(['delete_entity', 'remove_entities', 'deleteEntities'])(
  'for %s, which asks for it, a deleting tool is suggested',
  (name) => {
    expect(refusalOf(name).hint).toContain('delete_entities');
  },
);

test('a deleting tool is suggested for nothing that does not ask for it', () => {
  const removing = TOOLSETS.flatMap(({ tools }) => tools).filter(
    ({ effect }) => effect === 'remove' || effect === 'control',
  );
  const asked = removing.flatMap(({ name }) => {
    const [, ...rest] = name.split('_');
    return ['get', 'create', 'update', 'find', 'delet'].map((verb) => [verb, ...rest].join('_'));
  });
  const found = asked.flatMap((name) => {
    const { hint = '' } = refusalOf(`${name}_x`, { toolsets: 'all' });
    return removing.filter((tool) => new RegExp(`\\b${tool.name}\\b`).test(hint));
  });

  expect(found.map(({ name }) => name)).toEqual([]);
});

test.each([
  ['import_memory', "Did you mean import_database (toolset 'sessions')?"],
  ['undo', "Did you mean undo_actor (toolset 'threads') or undo_revision?"],
])('the verb of %s says more than its noun', (name, hint) => {
  expect(refusalOf(name).hint).toBe(hint);
});
