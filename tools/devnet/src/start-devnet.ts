import { createChainClient, request, type LocalChainId } from '@yield-vault/testing/local';
import { canonical, type ContractAddresses } from '@yield-vault/contracts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  makeTemporaryFolder,
  ProcessFailedError,
  startAnvil,
  type TiedProcess,
} from '@yield-vault/forks/anvil';
import { startForkService } from './deployment/start-fork-service.js';
import { choosePort, choosePorts } from './steps/choose-ports.js';
import { setUpChain } from './steps/set-up-chain.js';
import { keepTime } from './steps/keep-time.js';
import { startBundler } from './steps/start-bundler.js';
import { historyStart, writeHistory } from './steps/write-history.js';
import {
  devnetChainIds,
  type Devnet,
  type DevnetChain,
  type DevnetChainKey,
  type DevnetOptions,
  type DevnetPorts,
  type ForkServiceProcess,
} from './types.js';

// Past states stay in memory, about 0.1 MB each, rather than on disk, where each takes three times that and mining
// the history twice as long. The oldest go first: an idle chain keeps its whole history readable for 13 hours.
const statesKept = 4_000;

/** Those of `config/local.yaml`. */
const defaultChains: readonly DevnetChainKey[] = ['ethereum', 'base'];

/** The contracts are placed shortly before the first hour of the history. */
const setupSeconds = 600;

/**
 * Start local chains in place of real ones: contracts, vaults with weeks of history, real time,
 * and a bundler each; on demand a fork service between chain and bundler. Every process dies with this one.
 *
 * @returns The chains, ready for use.
 * @throws {TypeError} When forks are combined with another paymaster.
 * @throws {RangeError} When there is no local chain of a key.
 * @throws {PortTakenError} When a given port is in use.
 * @throws {MissingProgramError} When there is no Anvil.
 * @throws {ProcessFailedError} When a chain, a bundler or the fork service does not get ready.
 * @example
 * const devnet = await startDevnet({ onProgress: console.log });
 * await fundWallet(devnet.chains[0], '0x…', { ethWei: 10n ** 16n, usdc: 50_000_000n });
 * await devnet.stop();
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  if (options.gas && options.relayMode === 'managed-fork') {
    throw new TypeError('The fork service serves the default paymaster alone');
  }
  const home = makeTemporaryFolder(tmpdir(), 'yield-vault-devnet-');
  const undo: (() => void | Promise<void>)[] = [home.remove];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= runBackwards(undo));

  const watch = (name: string, { ended }: TiedProcess): void => {
    void ended.then((how) => {
      if (!stopping) options.onFailure?.(new ProcessFailedError(`${name} ${how}`));
    });
  };

  try {
    const keys = options.chains ?? defaultChains;
    // Before anything starts: a taken port is then said at once.
    const ports = await choosePorts(keys, options.ports);
    const forkPort =
      options.relayMode === 'managed-fork' &&
      (await choosePort(options.forkServicePort ?? 0, 'fork service', 'FORK_SERVICE_PORT'));
    const start = { options, home: home.path, undo, watch };
    const starting = forkPort ? startForks(ports, forkPort, start) : undefined;
    const startingChains = keys.map(async (key): Promise<DevnetChain> => {
      const chainId = devnetChainIds.get(key);
      if (chainId === undefined) throw new RangeError(`There is no local chain ${key}`);
      const { rpcUrl, contracts } = await startChain(key, chainId, ports[key]!.rpc, start);
      // The bundler's first request creates the fork, which needs the chain.
      const walletRpcUrl = (await starting)?.rpcUrlOf(key) ?? rpcUrl;
      const bundlerUrl =
        (options.bundlers ?? true) ? await startBundlerOf(key, walletRpcUrl, ports[key]!.bundler, start) : '';
      options.onProgress?.(`${key}: ready`);
      return {
        key,
        chainId,
        rpcUrl,
        walletRpcUrl,
        bundlerUrl,
        entryPoint: canonical.entryPointV08,
        contracts,
      };
    });
    // Nothing may start while the rest is being stopped.
    await Promise.allSettled([starting, ...startingChains]);
    const forkService = await starting;
    return { chains: await Promise.all(startingChains), forkService, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Start {
  readonly options: DevnetOptions;
  readonly home: string;
  /** Functions that end the running parts. */
  readonly undo: (() => void | Promise<void>)[];
  readonly watch: (name: string, started: TiedProcess) => void;
}

async function startChain(
  key: DevnetChainKey,
  chainId: LocalChainId,
  port: number,
  { options, undo, watch }: Start,
): Promise<{ rpcUrl: string; contracts: ContractAddresses }> {
  const report = (message: string): void => options.onProgress?.(`${key}: ${message}`);
  const days = options.historyDays ?? 36;

  report('starting the chain');
  const start = historyStart(Math.floor(Date.now() / 1000), days);
  const anvil = await startAnvil({
    port,
    args: [
      ...['--chain-id', String(chainId), '--timestamp', String(start - setupSeconds)],
      ...['--prune-history', String(statesKept)],
    ],
  });
  undo.push(anvil.kill);
  const client = createChainClient(anvil.rpcUrl);

  report('deploying contracts and vaults');
  const contracts = await setUpChain(client, anvil.rpcUrl, chainId, options.gas);
  report(`mining ${String(days)} days of history`);
  await writeHistory(client, chainId, start, days);
  const onFailure = (error: Error) =>
    options.onFailure?.(new ProcessFailedError(`${key} stopped producing blocks: ${error.message}`));
  await request(client, 'evm_setTime', [Math.floor(Date.now() / 1000)]);
  await client.mine({ blocks: 1 });
  if (options.idleBlocks ?? true) undo.push(await keepTime(client, onFailure));
  watch(`The chain ${key}`, anvil);
  return { rpcUrl: anvil.rpcUrl, contracts };
}

async function startForks(
  ports: Readonly<Record<DevnetChainKey, DevnetPorts>>,
  port: number,
  { options, home, undo, watch }: Start,
): Promise<ForkServiceProcess> {
  // The deployment file names both chains; the port of one that is not started stays closed.
  const chains = defaultChains.map((key) => ({
    key,
    rpcUrl: urlOf(ports[key]?.rpc ?? 0),
    bundlerUrl: urlOf(ports[key]?.bundler ?? 0),
  }));
  const logFile = join(options.logDirectory ?? home, 'fork-service.log');
  const service = await startForkService({ chains, port, paid: options.paid, logFile });
  undo.push(service.stop);
  watch('The fork service', service);
  return service;
}

/** @returns the address of the bundler */
async function startBundlerOf(
  key: DevnetChainKey,
  rpcUrl: string,
  port: number,
  { options, home, undo, watch }: Start,
): Promise<string> {
  options.onProgress?.(`${key}: starting the bundler`);
  const bundler = await startBundler({
    rpcUrl,
    entryPoint: canonical.entryPointV08,
    port,
    home: join(home, key),
    ...(options.logDirectory && { logFile: join(options.logDirectory, `${key}-bundler.log`) }),
  });
  undo.push(bundler.kill);
  watch(`The bundler of ${key}`, bundler);
  return bundler.url;
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}

async function runBackwards(steps: (() => void | Promise<void>)[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}
