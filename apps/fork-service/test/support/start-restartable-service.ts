import { tmpdir } from 'node:os';
import { makeTemporaryFolder } from '@yield-vault/anvil';
import { canonical, localPaymasterOwner, contractAddresses } from '@yield-vault/contracts';
import { localOperator } from '@yield-vault/testing/local';
import {
  createForkManager,
  createServiceProvider,
  type ForkChain,
  type ForkProvider,
} from '@yield-vault/forks';
import { createLogger } from '@yield-vault/server';
import { childProcesses } from '@yield-vault/testing';
import { createServer } from '../../src/server/create-server.js';

export const maxForks = 3;
export const bundler = '0x00000000000000000000000000000000000b0b00';

/** A fork service of this process, and a client of it. */
export interface RestartableService {
  /** The present client. */
  readonly provider: () => ForkProvider;
  /** Stop the service in order and start it again, as a new process does. */
  restart(): Promise<void>;
  /** Kill the Anvil of every fork. */
  killForks(): Promise<void>;
  /** Stop the service; the client stays. */
  breakDown(): Promise<void>;
  stop(): Promise<void>;
}

const logger = createLogger({ level: 'silent', secrets: [] });
const credential = 'credential-of-the-test-service';

/** Start a fork service whose forks stand on the chain of a URL. */
export async function startRestartableService(upstreamUrl: string): Promise<RestartableService> {
  const state = makeTemporaryFolder(tmpdir(), 'yield-vault-fork-service-');
  const killForks = anvilKiller();
  const open = async () => {
    const manager = createForkManager({
      chains: [forkChain(upstreamUrl)],
      options: { maxForks, maxAgeSeconds: null, idleSeconds: 900, stateDirectory: state.path },
      logger,
    });
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
    killForks,
    breakDown: () => service.app.close(),
    async stop() {
      await close();
      state.remove();
    },
  };
}

/** Make a function that kills the Anvils started by this process from now on. */
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
    contracts: { ...contractAddresses(), paymasterOwner: localPaymasterOwner },
    paymaster: 'own',
    usdc: { address: canonical.usdc[8453], balanceSlot: 9, masterMinter: localOperator },
    bundlerAccounts: [bundler],
  };
}
