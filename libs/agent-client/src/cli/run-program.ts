import { ServiceError } from '@yield-vault/protocol';
import { CommanderError } from 'commander';
import { BaseError } from 'viem';
import type { Program } from './create-program.js';
import { exitCodes } from './outcome.js';

/** Run the program with its arguments. @returns the exit code; it never throws */
export async function runProgram(program: Program, args: readonly string[]): Promise<number> {
  try {
    await program.command.parseAsync(args, { from: 'user' });
    return program.verdict();
  } catch (error) {
    // Commander said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.failed;
    program.io.note(`error: ${textOf(error)}`);
    return exitCodes.failed;
  }
}

function textOf(error: unknown): string {
  // Not its whole text, which names the URL of the node, and that may carry a credential.
  if (error instanceof BaseError) return error.shortMessage;
  if (error instanceof ServiceError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}
