/**
 * Loaded before each script that needs a newer Node than npm itself (`node -r`): an older one ends
 * with a sentence here, before it meets a file of TypeScript. So this file is for any Node.
 */
'use strict';

/** From here on Node runs TypeScript by itself. */
const OLDEST = [22, 18];
/** Where `npm install` brings a Node of its own: the optional dependencies of package.json. */
const BUNDLED = ['darwin-arm64', 'linux-arm64', 'linux-x64'];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  const platform = `${process.platform}-${process.arch}`;
  const advice = BUNDLED.includes(platform)
    ? 'run npm install, which brings one of its own unless it is told to omit optional dependencies'
    : `install one, since npm install brings none of its own for ${platform}`;
  console.error(
    `Skein needs Node ${OLDEST.join('.')} or newer, and this is ${process.versions.node}: ${advice}.`,
  );
  process.exit(1);
}
