import { inspectDatabase, openDatabase } from '@yield-vault/database';
import { readVariable } from '@yield-vault/deployment';
import { Command, CommanderError, Option } from 'commander';
import { type CheckOptions, checkRegistry } from './check-registry.js';
import { type DiscardOptions, discardChain } from './discard-chain.js';
import { type CliIo, parseChainId, parseList, parseRpc, parseUsdc, textOf } from './io.js';
import { limitDeposits, parseCap, type LimitChange } from './limit-deposits.js';
import { type ListOptions, listVaults } from './list-vaults.js';
import { type ProposeOptions, proposeVaults } from './propose-vaults.js';
import type { RehearseOptions } from './rehearse/rehearse.js';

/** Exit codes of the process. */
const exitCodes = { ok: 0, refused: 1, failed: 2 } as const;

/** Run a command of the operator. @returns the exit code; it never throws */
export async function runProgram(io: CliIo, args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok;
  try {
    const command = createCommand(
      io,
      (rejected) => (exitCode = rejected > 0 ? exitCodes.refused : exitCodes.ok),
    );
    await command.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander printed it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.failed;
    io.note(`error: ${textOf(error)}`);
    return exitCodes.failed;
  }
}

function createCommand(io: CliIo, onChecked: (rejected: number) => void): Command {
  const command = new Command('node apps/operator/bin/yield-vault.js')
    .description('Check, rehearse, limit and maintain a deployment.')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
    })
    .exitOverride();
  const vaults = command
    .command('vaults')
    .description('the catalogue of vaults')
    .copyInheritedSettings(command);
  const add = (name: string, description: string) =>
    vaults.command(name).copyInheritedSettings(command).description(description);
  const registry = [
    '--registry <file>',
    'a registry file instead of the one that the library ships',
  ] as const;
  const candidates = ['--candidates', 'also vaults that are known and not offered'] as const;
  const rpc = () =>
    new Option('--rpc <chain=url>', 'the RPC of a chain; repeat it for several')
      .argParser(parseRpc)
      .makeOptionMandatory();

  add('list', 'print the vaults of a registry')
    .option('--chain <key>', 'only of this chain, e.g. base')
    .option('--asset <symbol>', 'only of this asset, in any case')
    .option(...candidates)
    .option(...registry)
    .option('--json', 'print a registry file')
    .action((options: ListOptions) => listVaults(options, io));

  add('check', 'compare a registry with the chains: asset, decimals, symbol, plausible assets')
    .addOption(rpc())
    .option(...registry)
    .option(...candidates)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code: 0 all confirmed, 1 vaults were rejected, 2 the check failed.')
    .action(async (options: CheckOptions) => onChecked(await checkRegistry(options, io)));

  add('propose', 'compare a registry with lists of vaults and the chains, and print changes for a reviewer')
    .addOption(rpc())
    .option('--morpho <url>', 'e.g. https://api.morpho.org/graphql')
    .option('--llama <url>', 'yields of DeFiLlama, e.g. https://yields.llama.fi')
    .addOption(
      new Option('--list <name=file>', 'a file with addresses of vaults, or an address; repeat it').argParser(
        parseList,
      ),
    )
    .option(...registry)
    .option(
      '--write',
      'also change the registry file: add candidates; add bad flags, facts and evidence to active vaults',
    )
    .addHelpText('after', '\nExit code: 0 nothing to review, 1 vaults need a review, 2 the command failed.')
    .action(async (options: ProposeOptions) => onChecked(await proposeVaults(options, io)));

  const databaseUrl = readVariable(process.env, 'DATABASE_URL');
  const onDatabase = (name: string, description: string) =>
    command
      .command(name)
      .copyInheritedSettings(command)
      .description(description)
      .addOption(
        new Option('--database <url>', 'PostgreSQL database of the deployment')
          .default(databaseUrl, 'DATABASE_URL')
          .makeOptionMandatory(),
      );

  onDatabase('migrate', 'bring the tables of a database up to date, as its owner').action(
    async ({ database: url }: { readonly database: string }) => {
      const { pending } = await inspectDatabase(url);
      await (await openDatabase({ url })).close();
      io.out([`${pending.length} migrations ran`, ...pending].join('\n'));
    },
  );

  command
    .command('doctor')
    .copyInheritedSettings(command)
    .description('check everything that the deployment of this environment relies on; changes nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 all fine or warnings, 1 checks failed or the configuration is invalid.',
    )
    .action(async (options: { readonly json?: boolean }) => {
      const { runDoctor } = await import('./doctor/run-doctor.js');
      onChecked(await runDoctor(process.env, options, io));
    });

  command
    .command('rehearse')
    .copyInheritedSettings(command)
    .description('deposit into vaults and redeem everything, on forks of the chains')
    .requiredOption('--amount <usdc>', 'USDC of each deposit', parseUsdc)
    .option('--vault <id or address...>', 'vaults of the deployment')
    .option('--all', 'every USDC vault of the deployment')
    .option('--real <service>', 'URL of the running service: act on the chain itself, with REHEARSE_KEY')
    .option('--confirm <usdc>', 'the amount again; without it nothing real moves', parseUsdc)
    .addHelpText('after', '\nExit code: 0 all vaults paid back, 1 vaults failed, 2 nothing was done.')
    .action(async (options: RehearseOptions) => {
      const { rehearse } = await import('./rehearse/rehearse.js');
      onChecked(await rehearse(process.env, options, io));
    });

  onDatabase(
    'discard-chain',
    'delete all market data of a chain whose past changed; intents and payments stay',
  )
    .argument('<chainId>', 'id of the chain, e.g. 8453', parseChainId)
    .option('--confirm <chainId>', 'the chain id again; without it nothing is deleted', parseChainId)
    .action((chainId: number, options: DiscardOptions) => discardChain(chainId, options, io));

  const onDeposits = (name: string, usd: LimitChange['usd']) =>
    onDatabase(name, `${name} deposits, everywhere or of one chain or vault; redeem is never paused`)
      .addOption(new Option('--chain <key>', 'only of this chain, e.g. base').conflicts('vault'))
      .option('--vault <vaultId>', 'only of this vault')
      .action(
        ({ database, chain, vault, reason }: Record<'database' | 'chain' | 'vault' | 'reason', string>) => {
          const scope = chain ? `chain:${chain}` : vault ? `vault:${vault}` : 'deposits';
          return limitDeposits(database, [{ kind: 'pause', scope, usd, reason }], io);
        },
      );
  onDeposits('pause', 0).option('--reason <text>', 'callers read it');
  onDeposits('resume', 'none');
  onDatabase('cap', 'set caps of deposits in USD; none removes one')
    .option('--wallet <usd>', 'what one wallet may hold', parseCap)
    .option('--vault <usd>', 'what all wallets may hold in one vault', parseCap)
    .option('--total <usd>', 'what all wallets may hold', parseCap)
    .action(({ database, ...caps }: { database: string } & Record<string, LimitChange['usd']>) => {
      const changes = Object.entries(caps).map(([scope, usd]) => ({ kind: 'cap', scope, usd }) as const);
      return limitDeposits(database, changes, io);
    });
  onDatabase('limits', 'print the pauses and caps of deposits').action(({ database }: { database: string }) =>
    limitDeposits(database, [], io),
  );

  return command;
}
