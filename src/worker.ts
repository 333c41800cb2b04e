/** The entry of the Worker: the app, the daily event and the Durable Object classes, nothing else. */
import { LOCAL, OWNER_SUBJECT } from '#auth/principal.ts';
import { createApp } from '#http/app.ts';
import { beginBackups } from '#thread/directory-client.ts';
import { noteActivity } from '#thread/pace.ts';
import type { Env } from '#env.ts';

export { Directory } from '#thread/directory-object.ts';
export { Thread } from '#thread/thread-object.ts';

const app = createApp();

export default {
  fetch(request, env, ctx) {
    noteActivity();
    return app.fetch(request, env, ctx);
  },
  // A local server takes any time from any page (`/cdn-cgi/…/scheduled?time=`), and one far ahead
  // would end the retention of every backup.
  scheduled: ({ scheduledTime }, env) =>
    beginBackups(env, [OWNER_SUBJECT, LOCAL.subject], Math.min(scheduledTime, Date.now())),
} satisfies ExportedHandler<Env>;
