/** Runs a command that a package brought, and returns what it prints, whatever its status. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export function runCommand(name, args) {
  const command = join(import.meta.dirname, 'node_modules/.bin', name);
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  return { status, text: `${stdout}\n${stderr}` };
}
