import { isViemError, ServiceError } from '@yield-vault/protocol';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { getAddress, isAddress, type Address } from 'viem';
import { exitCodes, type CliIo } from './io.js';
import { revokeIntents, revokeWallet, type RevokeWalletOptions } from './revoke-wallet.js';
import { verifyFile, type VerifyFileOptions } from './verify-file.js';

/** The program, its input and output, and its result. */
export interface Program {
  readonly command: Command;
  readonly io: CliIo;
  /** The exit code of a run that did not fail. */
  readonly exitCode: () => number;
}

const bookOption = () => new Option('--book <file>', 'also trust the deployments of this address book');
const localOption = () => new Option('--local', 'trust the local deployment in place of the shipped ones');

const unsignedHelp = '\nThe transaction is unsigned JSON on standard output; notes are on standard error.';

/** Build the command for people who have to sign something. */
export function createProgram(io: CliIo): Program {
  let exitCode: number = exitCodes.ok;
  const command = new Command('node libs/agent-client/bin/yield-vault-agent.js')
    .description('Tools for signers. They take no key.')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
    })
    .exitOverride();

  command
    .command('verify')
    .copyInheritedSettings(command)
    .description('say offline what a prepare response does, and whether it matches the request')
    .argument('<file>', 'the response, or its envelope alone; - reads standard input')
    .option('--expect <file>', 'the expectations, as JSON')
    .addOption(bookOption())
    .addOption(localOption())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExit code: 0 verified, 1 refused, 2 failed.')
    .action(async (file: string, options: VerifyFileOptions) => {
      if (!(await verifyFile(file, options, io))) exitCode = exitCodes.refused;
    });

  const revoke = (name: string, description: string) =>
    command
      .command(name)
      .copyInheritedSettings(command)
      .description(description)
      .argument('<address>', 'the wallet', parseAddress)
      .requiredOption('--rpc <url>', 'a node of the chain', parseUrl)
      .addOption(bookOption())
      .addOption(localOption())
      .addHelpText('after', unsignedHelp);

  revoke('revoke-delegation', 'print the transaction that clears the delegation of a wallet')
    .option('--revoke-unknown', 'also revoke a delegation to an unknown implementation')
    .action((wallet: Address, options: RevokeWalletOptions) => revokeWallet(wallet, options, io));
  revoke('revoke-intents', 'print the transaction that revokes every signed intent of a wallet').action(
    (wallet: Address, options: RevokeWalletOptions) => revokeIntents(wallet, options, io),
  );

  return { command, io, exitCode: () => exitCode };
}

/** Run the program with its arguments. @returns the exit code; it never throws */
export async function runProgram(program: Program, args: readonly string[]): Promise<number> {
  try {
    await program.command.parseAsync(args, { from: 'user' });
    return program.exitCode();
  } catch (error) {
    // Commander printed the error already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.failed;
    program.io.note(`error: ${textOf(error)}`);
    return exitCodes.failed;
  }
}

function textOf(error: unknown): string {
  // The whole text names the URL of the node, which may carry a credential.
  if (isViemError(error)) return error.shortMessage;
  if (error instanceof ServiceError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

function parseAddress(text: string): Address {
  if (!isAddress(text, { strict: false })) throw new InvalidArgumentError('Write 0x and 40 hex digits.');
  return getAddress(text);
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('Write an http or https URL.');
  return text;
}
