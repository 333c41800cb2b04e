/** What `npm run dev` and the development server of tests answer beside the Worker: nothing that is stored. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { devEndpoints } from '#test/node/dev-endpoints.ts';
import {
  startNpmRunDev,
  startWranglerDev,
  type DevServer,
} from '../../scripts/support/dev-server.ts';

const MARKER = 'Quokka-1847';

/** Those that were looked at. One that is new has to be looked at before it may be here. */
const KNOWN = [
  'EMAIL',
  'EXPLORER',
  'IMAGE_DELIVERY',
  'IMAGE_UPLOAD',
  'PLATFORM_PROXY',
  'R2_PUBLIC',
  'R2_S3',
  'SCHEDULED',
  'STREAM_VIDEO',
];

/** Below an address, what an attacker would ask for first. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  EXPLORER: [
    '/api',
    '/api/workers',
    '/api/storage/kv/namespaces',
    '/api/d1/database',
    '/api/r2/buckets',
  ],
  R2_PUBLIC: ['/skein-files', '/skein-files/', '/FILES/x', '/skein-files/backup-x.jsonl'],
  R2_S3: ['/skein-files', '/skein-files?list-type=2'],
  PLATFORM_PROXY: ['?x=1'],
};

test('the development server has no address of its own that nobody has looked at', () => {
  expect(Object.keys(devEndpoints()).toSorted()).toEqual(KNOWN);
});

describe.each([
  ['npm run dev', startNpmRunDev],
  ['the development server of tests', startWranglerDev],
] as const)('%s', (_, start) => {
  test('tells nothing of what is stored at its own addresses', async () => {
    await using server = await start();
    await store(server);
    const object = readdirSync(join(server.stateDir, 'v3/do/skein-Thread'))[0] ?? '';
    const paths = Object.entries(devEndpoints()).flatMap(([name, path]) =>
      ['', ...(BELOW[name] ?? [])].map((rest) => `${path}${rest}`),
    );

    const answers = [];
    for (const path of [...paths, '/cdn-cgi/', '/cdn-cgi/mf/scheduled', '/cdn-cgi/explorer/api']) {
      for (const headers of [{}, { 'mf-op': 'GET', 'mf-op-target': '0', 'mf-op-key': 'THREAD' }]) {
        const response = await fetch(`${server.url}${path}`, { headers });
        const text = await response.text();
        const tells = [MARKER, object.slice(0, 64)].filter((stored) => text.includes(stored));
        answers.push({ path, status: response.status, isOk: text === 'ok', tells });
      }
    }

    expect(object).not.toBe('');
    expect(answers.filter(({ tells }) => tells.length > 0)).toEqual([]);
    // An event may be set off: it says `ok`, and writes a backup at most.
    const served = answers.filter(({ status }) => status < 400);
    expect(served.filter(({ path, isOk }) => !path.includes('scheduled') || !isOk)).toEqual([]);
  });
});

/** A thread with a fact, and a file of it. */
async function store({ url }: DevServer): Promise<void> {
  for (const [tool, input] of [
    ['create_node', { text: `${MARKER} is stored` }],
    ['export_database', {}],
  ] as const) {
    const response = await fetch(`${url}/api/threads/side-door/tools/${tool}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    expect(response.status).toBe(200);
  }
}
