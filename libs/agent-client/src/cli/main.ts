import { text } from 'node:stream/consumers';
import { runProgram } from './create-program.js';

// The reader may close the pipe, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
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
