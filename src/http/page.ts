/** A page of ours: no script, one style, and headers that let nothing else in. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** What `html` makes: every value in it is escaped. */
export type Markup = ReturnType<typeof html>;

export interface Page {
  readonly title: string;
  readonly body: Markup;
  readonly status?: ContentfulStatusCode;
  /** Where a form may lead besides this origin: browsers hold redirects after it to the same rule. */
  readonly formTarget?: string;
  /** Cookies and the like. */
  readonly headers?: Headers;
}

export async function answerPage(context: Context, page: Page): Promise<Response> {
  const nonce = crypto.randomUUID();
  const headers = new Headers(page.headers);
  for (const [name, value] of Object.entries(pageHeaders(nonce, page.formTarget))) {
    headers.set(name, value);
  }
  const text = await layOut(page, nonce);
  return context.newResponse(String(text), {
    status: page.status ?? 200,
    headers,
  });
}

/** Whether a person asks with a browser. Clients of MCP and of the API name JSON. */
export function wantsPage(context: Context): boolean {
  return context.req.header('accept')?.includes('text/html') ?? false;
}

function pageHeaders(nonce: string, formTarget: string | undefined): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

function layOut({ title, body }: Page, nonce: string): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Skein</title>
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;
}

const STYLE = html`
  :root { color-scheme: light dark; --line: #8886; --accent: #2457c5; } * { box-sizing: border-box;
  } body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; } main { max-width: 38rem; margin: 0
  auto; padding: 1.5rem 1rem 3rem; } h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap:
  anywhere; } h2 { font-size: 1.125rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.75rem
  0 0; } p, li, dd, label { overflow-wrap: anywhere; } pre { padding: .75rem; border: 1px solid
  var(--line); border-radius: .375rem; white-space: pre-wrap; overflow-wrap: anywhere; } label {
  display: block; margin: .75rem 0; } fieldset { margin: 1rem 0; padding: .25rem 1rem; border: 1px
  solid var(--line); border-radius: .375rem; } input[type='text'], input[type='password'],
  input[type='number'], select { display: block; width: 100%; min-height: 2.75rem; padding: .5rem;
  font: inherit; border: 1px solid var(--line); border-radius: .375rem; } input[type='radio'] {
  width: 1.125rem; height: 1.125rem; flex: none; margin: .25rem 0 0; } label.choice { display: flex;
  gap: .625rem; margin: 0; padding: .375rem 0; min-height: 2.75rem; } small { opacity: .8;
  font-size: .875rem; } button { min-height: 2.75rem; padding: .5rem 1.25rem; margin: .25rem .5rem
  .25rem 0; font: inherit; border: 1px solid var(--accent); border-radius: .375rem; background:
  var(--accent); color: #fff; cursor: pointer; } button.quiet { background: transparent; color:
  inherit; border-color: var(--line); } ul.cards { list-style: none; padding: 0; } ul.cards li {
  padding: .75rem 1rem; margin: .75rem 0; border: 1px solid var(--line); border-radius: .375rem; }
  .note { opacity: .8; font-size: .9375rem; } .warning { padding: .75rem 1rem; border-left: .25rem
  solid #c77700; background: #c7770022; }
`;
