/** The entry of the Worker: the app and the Durable Object classes, nothing else. */
import { createApp } from '#http/app.ts';

export { Thread } from '#thread/thread-object.ts';

export default createApp();
