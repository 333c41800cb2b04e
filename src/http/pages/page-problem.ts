/** What a browser shows where other clients read an error as JSON. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { httpStatus, type ErrorData } from '#errors.ts';
import { answerPage } from './page.ts';

export function problemPage(
  context: Context,
  { code, message, hint }: ErrorData,
): Promise<Response> {
  return answerPage(context, {
    title: 'Nothing here',
    status: httpStatus(code),
    body: html`<p>${message}</p>
      ${hint === undefined ? '' : html`<p class="note">${hint}</p>`}
      <p><a href="/">Start page</a></p>`,
  });
}
