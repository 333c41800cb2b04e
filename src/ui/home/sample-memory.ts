/** The sample memory: the portfolio of the first specification. */
import type { ToolWire } from '#http/wire.ts';

export const SAMPLE: ToolWire['save_memory']['input']['entities'] = [
  {
    name: 'Andrii',
    entityType: 'Person',
    observations: ['Works at Google', 'Author of MCP Memory Server', 'Uses Windows'],
    relations: [
      { targetEntity: 'Python Scripts', relationType: 'created' },
      { targetEntity: 'Portfolio', relationType: 'updates for' },
    ],
    importance: 1,
  },
  {
    name: 'Python Scripts',
    entityType: 'CodeArtifact',
    observations: [
      'update_portfolio.py is main script',
      'Uses python-docx 1.2.0',
      'Uses lxml 6.0.2',
    ],
    relations: [
      { targetEntity: 'Andrii', relationType: 'created by' },
      { targetEntity: 'Portfolio', relationType: 'modifies' },
    ],
    importance: 0.6,
  },
  {
    name: 'Portfolio',
    entityType: 'Document',
    observations: [
      'Final file: shevchenko-viktoria-yevgenivna-v4.docx',
      'Contains 2 main tables',
      'Total 21 records',
    ],
    relations: [
      { targetEntity: 'Python Scripts', relationType: 'modified by' },
      { targetEntity: 'Andrii', relationType: 'updated by' },
    ],
    importance: 0.9,
  },
];
