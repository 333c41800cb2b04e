/** Loading the sample memory. */
import { callTool } from '../data/api.ts';
import { SAMPLE } from './sample-memory.ts';

export const SAMPLE_THREAD = 'sample';

export const SAMPLE_FACTS = SAMPLE.reduce((sum, { observations }) => sum + observations.length, 0);

export async function loadSample(): Promise<void> {
  await callTool(SAMPLE_THREAD, 'save_memory', { entities: SAMPLE });
}
