/** What the server calls itself. Apart from `server.ts`, so that whatever tells it does not load the SDK. */
import { VERSION } from '#tools/version.ts';

export const SERVER_INFO = { name: 'skein', title: 'Skein', version: VERSION };
