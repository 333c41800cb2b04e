/** The entry of the Worker: the app and the Durable Object classes, nothing else. */
import { createApp } from '#http/app.ts';

export { Directory } from '#thread/directory-object.ts';
export { Thread } from '#thread/thread-object.ts';

export default createApp();
