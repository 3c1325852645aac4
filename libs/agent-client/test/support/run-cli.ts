import { createProgram, runProgram } from '../../src/cli/create-program.js';

/** Run the command. @returns its exit code and output */
export async function runCli(args: readonly string[], input = '') {
  const out: string[] = [];
  const notes: string[] = [];
  const io = {
    out: (text: string) => void out.push(text),
    note: (text: string) => void notes.push(text),
    input: () => Promise.resolve(input),
  };
  const code = await runProgram(createProgram(io), args);
  return { code, out: out.join('\n'), notes: notes.join('\n') };
}
