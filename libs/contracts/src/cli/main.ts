import { createProgram } from './create-program.js';

const io = {
  out: (text: string) => void process.stdout.write(`${text}\n`),
  note: (text: string) => void process.stderr.write(`${text}\n`),
};
try {
  await createProgram(io).parseAsync();
} catch (error) {
  // Not the whole text: the URL of the node may contain a credential.
  const { shortMessage, message } = error as { shortMessage?: string; message: string };
  io.note(`error: ${shortMessage ?? message}`);
  process.exitCode = 2;
}
