/** Whoever runs a command, as it sees them: somebody to ask, or nobody. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Terminal {
  /** Whether there is somebody to ask, who alone sees what is printed. */
  readonly isInteractive: boolean;
  say(text: string): void;
  /** The answer, without white space around it. */
  ask(question: string): Promise<string>;
  /** The same, and nothing of the answer is shown. */
  askHidden(question: string): Promise<string>;
}

export function processTerminal(): Terminal {
  return {
    isInteractive: process.stdin.isTTY && process.stdout.isTTY,
    say: (text) => console.log(text),
    ask: (question) => ask(question, process.stdout),
    async askHidden(question) {
      process.stdout.write(question);
      const nowhere = new Writable({ write: (_, __, done) => done() });
      const answer = await ask('', nowhere);
      process.stdout.write('\n');
      return answer;
    },
  };
}

async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // Ctrl-C ends the whole command, as it does anywhere else.
  lines.once('SIGINT', () => process.exit(130));
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}
