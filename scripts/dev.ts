/**
 * `npm run dev`: `wrangler dev`, for work on the code. Its local observability is switched off: it
 * writes every query of every thread into a database of its own.
 */
import { spawn } from 'node:child_process';
import { projectWrangler } from './support/wrangler.ts';

const [command, ...before] = projectWrangler();
const child = spawn(command, [...before, 'dev', '--local', ...process.argv.slice(2)], {
  env: { ...process.env, X_LOCAL_OBSERVABILITY: 'false' },
  stdio: 'inherit',
});
// Ctrl-C goes to wrangler too, which ends in its own time.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('close', (status) => {
  process.exitCode = status ?? 1;
});
