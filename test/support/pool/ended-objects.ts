/** Ends all objects with a file of tests: their alarms would embed what no test asks for any more. */
import { reset } from 'cloudflare:test';
import { afterAll } from 'vitest';

afterAll(reset);
