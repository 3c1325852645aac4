import { runProgram } from '../../src/cli/create-program.js';

/** Run the command. @returns its exit code and output */
export async function runCli(
  args: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
) {
  const out: string[] = [];
  const notes: string[] = [];
  const io = {
    out: (text: string) => void out.push(text),
    note: (text: string) => void notes.push(text),
    input: () => Promise.resolve(input),
    env: (name: string) => env[name],
  };
  const code = await runProgram(io, args);
  return { code, out: out.join('\n'), notes: notes.join('\n') };
}
