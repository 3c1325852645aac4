import { text } from 'node:stream/consumers';
import { createProgram } from './create-program.js';
import { runProgram } from './run-program.js';

// Whoever reads may have seen enough, as in `yield-vault-agent verify envelope.json | head`.
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
