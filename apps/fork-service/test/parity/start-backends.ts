import { tmpdir } from 'node:os';
import { makeTemporaryFolder } from '@yield-vault/anvil';
import { canonical, localPaymasterOwner, suiteAddresses } from '@yield-vault/contracts';
import { localOperator } from '@yield-vault/contracts/local';
import {
  createAnvilLauncher,
  createForkManager,
  createServiceProvider,
  createTenderlyLauncher,
  type ForkChain,
  type ForkLauncher,
  type ForkProvider,
} from '@yield-vault/forks';
import { createLogger } from '@yield-vault/server';
import { childProcesses, startTcpProxy, startTenderlyEmulator } from '@yield-vault/testing';
import { createServer } from '../../src/server/create-server.js';

export const maxForks = 3;
export const bundler = '0x00000000000000000000000000000000000b0b00';

/** A provider of forks with its back end in reach. */
export interface Backend {
  /** The present one. */
  readonly provider: () => ForkProvider;
  /** Close the provider in order, and make another one, as a new process does. */
  restart(): Promise<void>;
  /** End every fork behind the provider's back. */
  killForks(): Promise<void>;
  /** From now on there can be no fork. */
  breakDown(): Promise<void>;
  stop(): Promise<void>;
}

export const logger = createLogger({ level: 'silent', secrets: [] });

/** Start every back end that a deployment can choose, with forks that stand on the chain of a URL. */
export const backends: Readonly<Record<ForkProvider['kind'], (upstreamUrl: string) => Promise<Backend>>> = {
  async anvil(upstreamUrl) {
    const upstream = await startTcpProxy(upstreamUrl);
    const state = makeTemporaryFolder(tmpdir(), 'yield-vault-parity-');
    const kill = anvilKiller();
    const open = () => openManager(createAnvilLauncher({ logger }), upstream.url, state.path);
    let provider = open();
    return {
      provider: () => provider,
      async restart() {
        await provider.close();
        provider = open();
      },
      killForks: kill,
      breakDown: () => Promise.resolve(upstream.cut()),
      async stop() {
        await provider.close();
        await upstream.stop();
        state.remove();
      },
    };
  },

  async service(upstreamUrl) {
    const state = makeTemporaryFolder(tmpdir(), 'yield-vault-parity-');
    const kill = anvilKiller();
    const credential = 'credential-of-the-parity-suite';
    const open = async () => {
      const manager = openManager(createAnvilLauncher({ logger }), upstreamUrl, state.path);
      const settings = { credential, requestTimeoutSeconds: 30 };
      const app = await createServer(settings, manager, ['base'], logger);
      const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
      return { app, provider: createServiceProvider({ url, adminCredential: credential }) };
    };
    let service = await open();
    const close = async () => {
      await service.provider.close();
      await service.app.close();
    };
    return {
      provider: () => service.provider,
      async restart() {
        await close();
        service = await open();
      },
      killForks: kill,
      breakDown: () => service.app.close(),
      async stop() {
        await close();
        state.remove();
      },
    };
  },

  async tenderly(upstreamUrl) {
    const tenderly = await startTenderlyEmulator({
      networks: { 8453: { rpcUrl: upstreamUrl, opStack: true } },
    });
    const open = () =>
      openManager(createTenderlyLauncher({ ...tenderly.project, livenessMs: 100, logger }), upstreamUrl);
    let provider = open();
    return {
      provider: () => provider,
      async restart() {
        await provider.close();
        provider = open();
      },
      async killForks() {
        await Promise.all(tenderly.vnets().map(({ id }) => tenderly.evict(id)));
      },
      breakDown() {
        for (const part of ['create', 'read', 'rpc'] as const) tenderly.setFault(part, 'http-500');
        return Promise.resolve();
      },
      async stop() {
        await provider.close();
        await tenderly.stop();
      },
    };
  },
};

function openManager(launcher: ForkLauncher, upstreamUrl: string, stateDirectory?: string): ForkProvider {
  return createForkManager({
    launcher,
    chains: [forkChain(upstreamUrl)],
    options: {
      ...{ maxForks, maxAgeSeconds: null, idleSeconds: 900 },
      ...(stateDirectory !== undefined && { stateDirectory }),
    },
    logger,
  });
}

/** Make what ends the Anvils that this process starts from now on. */
function anvilKiller(): () => Promise<void> {
  const before = new Set(childProcesses(process.pid).keys());
  return () => {
    for (const pid of childProcesses(process.pid).keys()) {
      if (!before.has(pid)) process.kill(pid, 'SIGKILL');
    }
    return Promise.resolve();
  };
}

function forkChain(upstreamUrl: string): ForkChain {
  return {
    key: 'base',
    chainId: 8453,
    upstreamUrls: [upstreamUrl],
    opStack: true,
    entryPoint: canonical.entryPointV08,
    contracts: { ...suiteAddresses(), paymasterOwner: localPaymasterOwner },
    paymaster: 'own',
    usdc: { address: canonical.usdc[8453], balanceSlot: 9, masterMinter: localOperator },
    bundlerAccounts: [bundler],
  };
}
