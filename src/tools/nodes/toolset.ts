import { defineToolset } from '../define.ts';
import { getNode } from './get-node.ts';

export const nodes = defineToolset({
  name: 'nodes',
  title: 'Nodes',
  description:
    'Facts and entities as nodes with metadata, a life time, a status and typed links; memories of several owners in one thread. Failures are `{ success: false, error, code, error_code }`.',
  instructions: [
    'Every fact and every entity is a node with an id: mem_1 is a fact that stands alone, obs_2 a fact about an entity, ent_3 an entity. All toolsets of the thread share them.',
  ].join('\n'),
  isDefault: false,
  tools: [getNode],
});
