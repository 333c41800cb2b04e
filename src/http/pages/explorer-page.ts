/** The page of the explorer: a shell that its script fills, and what a browser without script reads. */
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Env } from '#env.ts';
import type { GuardedContext } from '#http/context.ts';
import { pageHeaders, type Markup } from './page.ts';
import { STYLE } from './page-style.ts';

/** Where the files of the explorer are served. Their names change with their content. */
export const EXPLORER_FILES = '/ui/';

/** What the page loads before anything else, as paths of this origin. */
interface ExplorerFiles {
  readonly script: string;
  readonly styles: readonly string[];
}

/** What `npm run build:ui` tells of each module that it made a file of. */
interface ManifestChunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
}

/** The theme that was chosen, before the first paint. Else the system's. */
const THEME = `try{var t=localStorage.getItem('skein.theme')}catch(e){}
document.documentElement.dataset.theme=t||(matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light')`;

/** `plain` is for browsers without script, and for a deployment whose explorer was not built. */
export async function answerExplorer(
  context: Context<GuardedContext>,
  title: string,
  plain: Markup,
): Promise<Response> {
  const nonce = crypto.randomUUID();
  const files = await findFiles(context.env);
  const unscripted = html`<style nonce="${nonce}">
      ${raw(STYLE)}
    </style>
    ${plain}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Skein</title>
        <link rel="icon" href="${EXPLORER_FILES}icon.svg" />
        ${
          files &&
          html`<script nonce="${nonce}">
              ${raw(THEME)};
            </script>
            ${files.styles.map((href) => html`<link rel="stylesheet" href="${href}" />`)}
            <script type="module" src="${files.script}"></script>`
        }
      </head>
      <body>
        ${files === undefined ? unscripted : html`<noscript>${unscripted}</noscript>`}
      </body>
    </html>`;
  return context.newResponse(String(await page), { headers: explorerHeaders(nonce) });
}

/** Those of the first page that this isolate has served: a later build beside a server that runs has other names. */
let known: ExplorerFiles | undefined;

/** Undefined where the explorer was not built. */
async function findFiles({ ASSETS }: Env): Promise<ExplorerFiles | undefined> {
  if (known !== undefined) return known;
  const answer = await ASSETS.fetch(`http://assets${EXPLORER_FILES}manifest.json`);
  if (!answer.ok) return undefined;
  const manifest = await answer.json<Record<string, ManifestChunk>>();
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  if (entry === undefined) return undefined;
  known = {
    script: EXPLORER_FILES + entry.file,
    styles: (entry.css ?? []).map((file) => EXPLORER_FILES + file),
  };
  return known;
}

function explorerHeaders(nonce: string): Record<string, string> {
  return pageHeaders([
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "worker-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
  ]);
}
