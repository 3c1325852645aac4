import { createProgram } from './create-program.js';
import { runProgram } from './run-program.js';

// Whoever reads may have seen enough, as in `yield-vault vaults list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runProgram(
  createProgram({
    out: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  }),
  process.argv.slice(2),
);
