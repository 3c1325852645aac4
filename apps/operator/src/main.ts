import { runProgram } from './run-program.js';

// The reader may close the pipe, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const io = {
  out: (text: string) => void process.stdout.write(`${text}\n`),
  note: (text: string) => void process.stderr.write(`${text}\n`),
};
process.exitCode = await runProgram(io, process.argv.slice(2));
