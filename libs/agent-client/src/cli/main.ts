import { text } from 'node:stream/consumers';
import { exitCodes } from './io.js';
import { runProgram } from './create-program.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader may close the pipe, as `head` does.
  if (error.code === 'EPIPE') return;
  process.stderr.write(
    `Standard output failed (${error.code}): the outcome is unknown. See intents and status.\n`,
  );
  process.exit(exitCodes.pending);
});

process.exitCode = await runProgram(
  {
    out: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    input: () => text(process.stdin),
    // eslint-disable-next-line no-restricted-properties -- a key is never an argument
    env: (name) => process.env[name],
  },
  process.argv.slice(2),
);
