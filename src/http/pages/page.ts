/** A page of ours: no script, one style, and headers that let nothing else in. */
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { STYLE } from './page-style.ts';

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
  const { formTarget } = page;
  const allowed = [
    `style-src 'nonce-${nonce}'`,
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
  ];
  for (const [name, value] of Object.entries(pageHeaders(allowed))) {
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

/** The headers of every page. `allowed` are directives of the content policy: all else is refused. */
export function pageHeaders(allowed: readonly string[]): Record<string, string> {
  const policy = ["default-src 'none'", ...allowed, "base-uri 'none'", "frame-ancestors 'none'"];
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
          ${raw(STYLE)}
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
