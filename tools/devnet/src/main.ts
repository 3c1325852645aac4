import { Command, InvalidArgumentError, Option } from 'commander';
import { findError } from '@yield-vault/protocol';
import { providerProfiles, startProviderProxy, type ProviderName } from '@yield-vault/testing';
import { formatEther, formatUnits, getAddress, isAddress, parseUnits } from 'viem';
import { fundWallet } from './fund-wallet.js';
import { startDevnet } from './start-devnet.js';
import { readPorts } from './steps/read-environment.js';
import { devnetChainIds, type DevnetChainKey, type DevnetOptions } from './types.js';

const defaultPorts = {
  ethereum: { rpc: 8545, bundler: 4337 },
  base: { rpc: 8546, bundler: 4338 },
} as const;

type UpOptions = Pick<DevnetOptions, 'chains' | 'historyDays' | 'bundlers' | 'logDirectory'> & {
  readonly behind?: ProviderName;
};

const keys = [...devnetChainIds.keys()];

const program = new Command('devnet').description(
  'Local chains that stand in for real ones, with vaults, weeks of history and a bundler each.',
);

program
  .command('up')
  .description('start chains and serve them until interrupted')
  .addOption(new Option('--chains <keys...>').choices(keys).default(['ethereum', 'base']))
  .option('--history-days <days>', 'days of hourly blocks in the past', parseNatural, 36)
  .option('--no-bundlers', 'start the chains alone')
  .addOption(
    new Option('--behind <provider>', 'print addresses that behave as those of a provider do').choices(
      Object.keys(providerProfiles),
    ),
  )
  .option('--log-directory <folder>', 'where the logs of the bundlers go', '.local/devnet')
  .addHelpText(
    'after',
    '\nPorts: DEVNET_ETHEREUM_RPC_PORT (8545), DEVNET_ETHEREUM_BUNDLER_PORT (4337),' +
      '\nDEVNET_BASE_RPC_PORT (8546), DEVNET_BASE_BUNDLER_PORT (4338), and so on; 0 means any free port.',
  )
  .action(async ({ behind, ...options }: UpOptions) => {
    const started = Date.now();
    const devnet = await startDevnet({
      ...options,
      ports: readPorts(process.env, defaultPorts),
      onProgress: (message) => console.log(message),
      onFailure: (error) => fail(error),
    });
    console.log(`Ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);
    const addressOf = async (url: string) =>
      behind && url ? (await startProviderProxy(behind, url)).url : url;
    for (const { key, chainId, ...urls } of devnet.chains) {
      const [rpcUrl, bundlerUrl] = [await addressOf(urls.rpcUrl), await addressOf(urls.bundlerUrl)];
      console.log(`${key} (${String(chainId)})  RPC ${rpcUrl}${bundlerUrl && `  bundler ${bundlerUrl}`}`);
    }
    onSignal(() => devnet.stop());
  });

program
  .command('fund')
  .description('add ETH and USDC to a wallet on a running chain')
  .addOption(new Option('--chain <key>').choices(keys).makeOptionMandatory())
  .requiredOption('--address <address>', 'the wallet', parseAddress)
  .option('--eth-wei <wei>', 'ETH to add, in wei', parseWei)
  .option('--usdc <amount>', 'USDC to add, for example 50 or 12.5', parseUsdc)
  .option('--rpc-url <url>', 'RPC of the chain; by default on the port that "up" uses')
  .action(
    async (options: {
      chain: DevnetChainKey;
      address: `0x${string}`;
      ethWei?: bigint;
      usdc?: bigint;
      rpcUrl?: string;
    }) => {
      const port = readPorts(process.env, defaultPorts)[options.chain]?.rpc;
      const rpcUrl = options.rpcUrl ?? `http://127.0.0.1:${String(port)}`;
      const chain = { rpcUrl, chainId: devnetChainIds.get(options.chain)! };
      const { ethWei, usdc } = await fundWallet(chain, options.address, options).catch((error: unknown) => {
        if (!findError(error, 'HttpRequestError')) throw error;
        throw new Error(`No chain responds at ${rpcUrl}. Start one with "up", or name it with --rpc-url.`);
      });
      console.log(
        `${options.address} on ${options.chain}: ${formatEther(ethWei)} ETH, ${formatUnits(usdc, 6)} USDC`,
      );
    },
  );

function parseNatural(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('a whole number is expected');
  return Number(text);
}

function parseAddress(text: string): `0x${string}` {
  if (!isAddress(text, { strict: false })) throw new InvalidArgumentError('an address is expected');
  return getAddress(text);
}

function parseWei(text: string): bigint {
  if (!/^\d{1,30}$/.test(text)) throw new InvalidArgumentError('a whole number of wei is expected');
  return BigInt(text);
}

function parseUsdc(text: string): bigint {
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('an amount like 12.5 is expected');
  return parseUnits(text, 6);
}

function onSignal(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void stop().then(() => process.exit(0)));
  }
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

program.parseAsync().catch(fail);
