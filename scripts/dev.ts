/**
 * `npm run dev`: `wrangler dev`, for work on the code. Its local observability is switched off,
 * which writes every query of every thread into a database of its own, and so is its local explorer,
 * which reads and writes every store without a credential.
 */
import { spawn } from 'node:child_process';
import { projectWrangler } from './support/wrangler.ts';

const [command, ...before] = projectWrangler();
const child = spawn(command, [...before, 'dev', '--local', ...process.argv.slice(2)], {
  env: { ...process.env, X_LOCAL_OBSERVABILITY: 'false', X_LOCAL_EXPLORER: 'false' },
  stdio: 'inherit',
});
// Ctrl-C goes to wrangler too, which ends in its own time.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('close', (status) => {
  process.exitCode = status ?? 1;
});
