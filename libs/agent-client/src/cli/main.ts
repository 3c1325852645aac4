import { text } from 'node:stream/consumers';
import { createProgram, runProgram } from './create-program.js';

// The reader may close the pipe, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runProgram(
  createProgram({
    out: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    input: () => text(process.stdin),
  }),
  process.argv.slice(2),
);
