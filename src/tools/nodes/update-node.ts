import * as z from 'zod';
import { ENTITY_TYPE_CHARS_MAX } from '#limits.ts';
import { defineTool } from '../define.ts';
import { ownerId } from '../params.ts';
import { nodeFailure } from './failure.ts';
import { expiresAt, metadataInput, nodeText, source, status, ttlDays } from './node-input.ts';
import { exampleNode, nodeId, nodeShape, success, toNode } from './shapes.ts';

export const updateNode = defineTool({
  name: 'update_node',
  title: 'Update node',
  description:
    'Changes a node and keeps its id; what is left out stays. Metadata is replaced as a whole. Another text, status or expiry keeps the state before for get_node_change_history; versioning keeps it for the rest too.',
  effect: 'change',
  input: () => ({
    node_id: nodeId(),
    owner_id: ownerId(),
    text: nodeText().optional().describe('New text, or new name of an entity.'),
    source: source().optional().describe('Who or what it comes from.'),
    metadata: metadataInput().optional(),
    status: status().optional().describe('What is not active is in no search by itself.'),
    ttl_days: ttlDays().optional(),
    expires_at: expiresAt().optional(),
    entity_type: z.string().max(ENTITY_TYPE_CHARS_MAX).optional().describe('Entities only.'),
    versioning: z
      .boolean()
      .default(false)
      .describe('Whether to keep the state before also where text, status and expiry stay.'),
  }),
  output: () => ({ success: success(), node: nodeShape().describe('The node as it is now.') }),
  example: {
    given: [{ tool: 'create_node', input: { text: 'The office is in Porto' } }],
    input: { node_id: 'mem_1', text: 'The office is in Lisbon', versioning: true },
    output: { success: true, node: exampleNode({ id: 'mem_1', text: 'The office is in Lisbon' }) },
  },
  failure: nodeFailure,
  async run(input, { nodes }) {
    const node = nodes.update(input.node_id, {
      text: input.text,
      source: input.source,
      metadata: input.metadata,
      status: input.status,
      ttlDays: input.ttl_days,
      expiresAt: input.expires_at,
      entityType: input.entity_type,
      isVersioned: input.versioning,
    });
    return { success: true, node: toNode(node, input.owner_id) };
  },
});
