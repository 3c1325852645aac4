import { Command, Option } from 'commander';
import type { Address } from 'viem';
import { describeWallet, type DescribeWalletOptions } from './describe-wallet.js';
import type { CliIo } from './io.js';
import { parseAddress, parseUrl } from './options.js';
import { exitCodes } from './outcome.js';
import { unsetupWallet, type UnsetupWalletOptions } from './unsetup-wallet.js';
import { verifyFile, type VerifyFileOptions } from './verify-file.js';

/** The program with where it writes, and what it found. */
export interface Program {
  readonly command: Command;
  readonly io: CliIo;
  /** The exit code of a run that did not fail. */
  readonly verdict: () => number;
}

const bookOption = () => new Option('--book <file>', 'trust the deployments of this address book too');
const localOption = () =>
  new Option('--local', 'trust the local deployment, in place of those that are shipped');

const rpcOption = () =>
  new Option('--rpc <url>', 'a node of the chain').argParser(parseUrl).makeOptionMandatory();

/** Build `yield-vault-agent`: what somebody does who has to sign something. */
export function createProgram(io: CliIo): Program {
  let verdict: number = exitCodes.ok;
  const command = new Command('yield-vault-agent')
    .description('Tools for whoever signs. They take no key.')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
    })
    .exitOverride();

  command
    .command('verify')
    .copyInheritedSettings(command)
    .description('say what an answer of prepare does, offline, and whether it is what was asked for')
    .argument('<file>', 'the answer, or its envelope alone; - reads what is piped in')
    .option('--expect <file>', 'what was asked for, as JSON')
    .addOption(bookOption())
    .addOption(localOption())
    .option('--json', 'print the verdict as JSON')
    .addHelpText('after', '\nExit code: 0 in order, 1 refused, 2 it could not be told.')
    .action(async (file: string, options: VerifyFileOptions) => {
      if (!(await verifyFile(file, options, io))) verdict = exitCodes.refused;
    });

  command
    .command('describe')
    .copyInheritedSettings(command)
    .description('say what a wallet is delegated to, which modules it has and who may take its USDC')
    .argument('<address>', 'the wallet', parseAddress)
    .addOption(rpcOption())
    .addOption(bookOption())
    .addOption(localOption())
    .option('--json', 'print JSON')
    .action((wallet: Address, options: DescribeWalletOptions) => describeWallet(wallet, options, io));

  command
    .command('unsetup')
    .copyInheritedSettings(command)
    .description('print the transactions to sign that take back what a setup gave')
    .argument('<address>', 'the wallet', parseAddress)
    .addOption(rpcOption())
    .addOption(bookOption())
    .addOption(localOption())
    .option('--revoke-foreign', "revoke a delegation of somebody else's software too")
    .addHelpText('after', '\nThe transactions are unsigned JSON; what they do is said on the other stream.')
    .action((wallet: Address, options: UnsetupWalletOptions) => unsetupWallet(wallet, options, io));

  return { command, io, verdict: () => verdict };
}
