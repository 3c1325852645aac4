import { createProgram } from './create-program.js';
import { runProgram } from './run-program.js';

process.exitCode = await runProgram(
  createProgram({
    out: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
  }),
  process.argv.slice(2),
);
