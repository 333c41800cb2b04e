/**
 * As much of Cloudflare's API as wrangler asks for while it deploys to an account on the Free plan, which
 * has a namespace and a bucket, and no Worker.
 */
import { createServer, type IncomingMessage } from 'node:http';

export const ACCOUNT_ID = 'a'.repeat(32);
const TAG = 'tag-of-the-worker';

export interface FakeCloudflare extends AsyncDisposable {
  /** What wrangler is told by `CLOUDFLARE_API_BASE_URL`. */
  readonly url: string;
  readonly namespaces: { id: string; title: string }[];
  readonly buckets: { name: string; creation_date: string }[];
  /** What came with the Worker: its bindings, limits and so on. */
  uploaded: Record<string, unknown> | undefined;
  readonly secrets: Map<string, string>;
  /** When the Worker is to be woken. */
  crons: readonly string[];
  /** Paths that it does not know. */
  readonly unknown: string[];
}

type Answer = { readonly result: unknown } | { readonly code: number; readonly message: string };

export async function startFakeCloudflare(): Promise<FakeCloudflare> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? '', cloudflare.url);
      const path = pathname.replace(`/accounts/${ACCOUNT_ID}`, '');
      // Lists are asked for page by page, until one is empty.
      const isOver = Number(searchParams.get('page') ?? 1) > 1;
      const answer = isOver
        ? { result: [] }
        : respond(cloudflare, `${request.method} ${path}`, body);
      const isFine = 'result' in answer;
      response.writeHead(isFine ? 200 : 400, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          success: isFine,
          errors: isFine ? [] : [answer],
          messages: [],
          result: isFine ? answer.result : null,
        }),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const cloudflare: FakeCloudflare = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    namespaces: [{ id: 'b'.repeat(32), title: 'skein-oauth-kv' }],
    buckets: [{ name: 'skein-files', creation_date: '2026-01-20T10:00:00.000Z' }],
    uploaded: undefined,
    secrets: new Map(),
    crons: [],
    unknown: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return cloudflare;
}

function respond(cloudflare: FakeCloudflare, request: string, body: string): Answer {
  const { namespaces, buckets, secrets, uploaded } = cloudflare;
  const ok = (result: unknown): Answer => ({ result });
  const json = () => JSON.parse(body) as Record<string, string>;
  switch (request) {
    case 'GET /storage/kv/namespaces':
      return ok(namespaces);
    case 'GET /r2/buckets':
      return ok({ buckets });
    case 'GET /r2/buckets/skein-files':
      return ok(buckets[0]);
    case 'PUT /workers/scripts/skein':
      return upload(cloudflare, body);
    default:
      break;
  }
  if (uploaded === undefined && /^GET \/workers\/(?:scripts|services)\/skein/.test(request)) {
    return { code: 10_007, message: 'This Worker does not exist on your account.' };
  }
  switch (request) {
    case 'GET /workers/scripts/skein/secrets':
      return ok([...secrets.keys()].map((name) => ({ name, type: 'secret_text' })));
    case 'PUT /workers/scripts/skein/secrets':
      secrets.set(json()['name'] ?? '', json()['text'] ?? '');
      return ok({});
    case 'GET /workers/scripts/skein/settings':
    case 'PATCH /workers/scripts/skein/script-settings':
      return ok({ tags: [] });
    case 'POST /workers/scripts/skein/assets-upload-session':
      return ok({ jwt: 'assets', buckets: [] });
    case 'GET /workers/services/skein':
      return ok({ default_environment: { script: { tag: TAG, tags: [] } } });
    case 'GET /workers/workers/skein':
      return ok({ id: TAG, name: 'skein', subdomain: { enabled: false, previews_enabled: false } });
    case 'GET /workers/subdomain':
      return ok({ subdomain: 'garden' });
    case 'POST /workers/scripts/skein/subdomain':
      return ok({ enabled: true, previews_enabled: false });
    case 'PUT /workers/scripts/skein/schedules':
      cloudflare.crons = (JSON.parse(body) as { cron: string }[]).map(({ cron }) => cron);
      return ok({ schedules: [] });
    default:
      cloudflare.unknown.push(request);
      return { code: 7_003, message: `No route for ${request}` };
  }
}

function upload(cloudflare: FakeCloudflare, form: string): Answer {
  const metadata = /name="metadata"\r\n\r\n(.*)\r\n/.exec(form)?.[1] ?? '{}';
  const uploaded = JSON.parse(metadata) as Record<string, unknown>;
  if ('limits' in uploaded) {
    return { code: 100_328, message: 'CPU limits are not supported for the Free plan.' };
  }
  cloudflare.uploaded = uploaded;
  return { result: { id: 'skein', tag: TAG, deployment_id: 'deployment', startup_time_ms: 1 } };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('latin1');
}
