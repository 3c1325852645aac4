import { Command, Option } from 'commander';
import type { Address } from 'viem';
import { addVault, type AddOptions } from './add-vault.js';
import { checkRegistry, type CheckOptions } from './check-registry.js';
import type { CliIo } from './io.js';
import { listVaults, type ListOptions } from './list-vaults.js';
import { parseAddress, parseBatchSize, parseRpc, parseUrl } from './options.js';
import { exitCodes } from './outcome.js';

/** The program with where it writes, and what it found. */
export interface Program {
  readonly command: Command;
  readonly io: CliIo;
  /** The exit code of a run that did not fail. */
  readonly verdict: () => number;
}

const registryOption = () =>
  new Option('--registry <file>', 'a registry file instead of the one that the library ships');
const rpcOption = () =>
  new Option('--rpc <chain=url>', 'the RPC of a chain; repeat it for several').argParser(parseRpc);

/** Build `yield-vault`: what an operator does with the catalogue of vaults. */
export function createProgram(io: CliIo): Program {
  let verdict: number = exitCodes.ok;
  const command = new Command('yield-vault')
    .description('Tools for operators of vault discovery.')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
    })
    .exitOverride();
  const vaults = command
    .command('vaults')
    .description('the catalogue of vaults')
    .copyInheritedSettings(command);

  vaults
    .command('list')
    .copyInheritedSettings(command)
    .description('print the vaults of a registry')
    .option('--chain <key>', 'only of this chain, e.g. base')
    .option('--asset <symbol>', 'only of this asset, in any case')
    .option('--candidates', 'also those that are known and not offered')
    .addOption(registryOption())
    .option('--json', 'as a registry file')
    .action((options: ListOptions) => listVaults(options, io));

  vaults
    .command('check')
    .copyInheritedSettings(command)
    .description('compare a registry with the chains: asset, decimals, symbol, plausible assets')
    .addOption(rpcOption().makeOptionMandatory())
    .addOption(registryOption())
    .option('--candidates', 'also those that are known and not offered')
    .option('--batch-size <reads>', 'reads in one call', parseBatchSize, 200)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code: 0 all confirmed, 1 something was dropped, 2 it could not be checked.')
    .action(async (options: CheckOptions) => {
      if ((await checkRegistry(options, io)) > 0) verdict = exitCodes.refused;
    });

  vaults
    .command('add')
    .copyInheritedSettings(command)
    .description('make the registry entry of a vault from what the chain says of it')
    .argument('<chain>', 'key of the chain, e.g. base')
    .argument('<address>', 'the vault', parseAddress)
    .addOption(rpcOption().makeOptionMandatory())
    .option('--registry <file>', 'append the entry to this registry file; without it, it is printed')
    .option('--protocol <name>', 'who runs it')
    .addOption(
      new Option('--morpho-url <url>', 'ask Morpho, e.g. https://api.morpho.org/graphql').argParser(parseUrl),
    )
    .addOption(
      new Option('--llama-yields-url <url>', 'ask DeFiLlama, e.g. https://yields.llama.fi').argParser(
        parseUrl,
      ),
    )
    .addOption(new Option('--kong-url <url>', 'ask Yearn, e.g. https://kong.yearn.fi').argParser(parseUrl))
    .addOption(
      new Option('--vaults-fyi-url <url>', 'ask vaults.fyi, e.g. https://api.vaults.fyi').argParser(parseUrl),
    )
    .option('--vaults-fyi-key-file <file>', 'file that holds the key of your account there')
    .addHelpText(
      'after',
      '\nThe risk facts of the entry stay unknown, which counts against it, until you fill them in.',
    )
    .action((chain: string, address: Address, options: AddOptions) => addVault(chain, address, options, io));

  return { command, io, verdict: () => verdict };
}
