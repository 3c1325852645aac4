import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localVaults } from '@yield-vault/testing/local';
import {
  bundlerAccounts,
  depositThroughBundler,
  setUpWallet,
  startBundler,
  startDevnet,
  type BundlerProcess,
  type Devnet,
  type DevnetChain,
} from '@yield-vault/devnet';
import { testAccount } from '@yield-vault/testing';
import { parseEther, type Address } from 'viem';
import { createForkManager } from '../../src/index.js';
import type { ForkProvider } from '../../src/ports.js';
import { startForkRpc, type ForkRpcServer } from '../support/start-fork-rpc.js';
import { buildForkChain } from '../support/build-fork-chain.js';
import { signalFork } from '../support/fork-pids.js';
import { recordingLogger } from '../support/recording-logger.js';

const wallet = testAccount('wallet of the bundler');
const vault = localVaults[8453][0] as { address: Address };

describe('a bundler on the stable address of a managed fork', () => {
  const home = mkdtempSync(join(tmpdir(), 'forks-bundler-'));
  let devnet: Devnet;
  let forks: ForkProvider;
  let rpc: ForkRpcServer;
  let bundler: BundlerProcess;
  let chain: DevnetChain;

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], bundlers: false, historyDays: 1 });
    const [upstream] = devnet.chains;
    if (!upstream) throw new Error('The devnet started no chain');
    const logger = recordingLogger();
    forks = createForkManager({
      chains: [buildForkChain({ upstreamUrls: [upstream.rpcUrl], bundlerAccounts })],
      options: { maxForks: 2, maxAgeSeconds: null, idleSeconds: 900 },
      logger,
    });
    rpc = await startForkRpc({ provider: forks });
    const rpcUrl = rpc.urlOf('base');
    bundler = await startBundler({ rpcUrl, entryPoint: upstream.entryPoint, home });
    chain = { ...upstream, rpcUrl, bundlerUrl: bundler.url };
  });
  afterAll(async () => {
    await bundler?.kill();
    await rpc?.close();
    await forks?.close();
    await devnet?.stop();
    rmSync(home, { recursive: true });
  });

  async function setUp(): Promise<void> {
    const fork = await forks.persistent('base');
    await fork.fund({ address: wallet.address, ethWei: parseEther('0.01'), usdcBaseUnits: 50_000_000n });
    await setUpWallet(chain, wallet);
  }
  const deposit = () => depositThroughBundler(chain, wallet, vault.address, 10_000_000n);

  it('default: a deposit goes through', async () => {
    await setUp();
    expect(await deposit()).toMatchObject({ success: true });
  });

  it('behavior: it works with the fork that replaces a killed one', async () => {
    const { id } = await forks.persistent('base');
    signalFork('SIGKILL');
    // Until its end is noticed, the old one is still named.
    while ((await forks.persistent('base')).id === id) await new Promise((resolve) => setTimeout(resolve, 5));
    await setUp();
    // The operation open at the end of the fork is tried again first.
    const receipt = await untilAccepted(deposit);
    expect(receipt).toMatchObject({ success: true });
  });
});

/** Repeat while the bundler holds another operation of the same wallet. */
async function untilAccepted<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!String(error).includes('AA25')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
