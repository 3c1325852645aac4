import { ForkNotRunningError } from '@yield-vault/protocol';
import { z } from 'zod';
import type { ForkLogger, LaunchedFork } from '../ports.js';
import type { ForkChain } from '../types.js';
import { tenderlyDetails } from './as-tenderly-error.js';
import { createAdminRpc } from './create-admin-rpc.js';
import type { TenderlyApi } from './create-tenderly-api.js';
import { createVnetFork, type VnetFork } from './create-vnet-fork.js';
import type { Http } from './http.js';
import { readAnswer } from './read-answer.js';
import type { Vnet } from './vnet.js';
import { watchVnet } from './watch-vnet.js';

const quantity = z
  .string()
  .regex(/^0x[\da-f]+$/i)
  .transform(BigInt);

/** What a fork needs of its launcher. */
export interface VnetHost {
  readonly http: Http;
  readonly api: TenderlyApi;
  readonly livenessMs: number;
  readonly logger: ForkLogger;
}

/**
 * Make a fork of a Virtual TestNet that runs, and watch over it.
 *
 * @throws {ForkNotRunningError} it has no addresses for its operator and for wallets, or is another chain
 */
export async function attachVnet(
  vnet: Vnet,
  chain: Pick<ForkChain, 'key' | 'chainId'>,
  { http, api, livenessMs, logger }: VnetHost,
): Promise<VnetFork> {
  const { adminRpcUrl, publicRpcUrl } = vnet;
  // Without a public address wallets would be shown the one of the operator.
  if (!adminRpcUrl || !publicRpcUrl) throw notUsable('has no Admin RPC or no Public RPC');

  let gone: string | undefined;
  let tellEnd: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (tellEnd = resolve));
  const end = (reason: string) => {
    if (gone !== undefined) return;
    gone = reason;
    watch.stop();
    logger.warn({ chain: chain.key, vnet: vnet.id, reason }, 'a fork ended');
    tellEnd(reason);
  };
  const ask = createAdminRpc(http, adminRpcUrl, () => end('was evicted'));
  const request: LaunchedFork['request'] = async (method, params) => {
    if (gone !== undefined) throw notUsable(gone);
    try {
      return await ask(method, params);
    } catch (error) {
      if (error instanceof ForkNotRunningError) watch.look();
      throw error;
    }
  };
  const watch = watchVnet(() => api.getVnet(vnet.id), end, { intervalMs: livenessMs, logger });

  try {
    const chainId = readAnswer(quantity, await request('eth_chainId'));
    if (chainId !== BigInt(chain.chainId)) throw notUsable(`has the chain id ${String(chainId)}`);
    // The newest block of a new fork is the one on which it stands.
    const forkBlock = vnet.forkBlock ?? readAnswer(quantity, await request('eth_blockNumber'));
    const destroy = async () => {
      watch.stop();
      // First: a call that meets the deletion must not take it for an eviction.
      gone ??= 'was deleted';
      await api.deleteVnet(vnet.id);
    };
    const detach = () => {
      watch.stop();
      return Promise.resolve();
    };
    return createVnetFork({ rpcUrl: publicRpcUrl, forkBlock, request, ended, detach, destroy });
  } catch (error) {
    watch.stop();
    throw error;
  }
}

function notUsable(how: string): ForkNotRunningError {
  return new ForkNotRunningError({
    detail: `The fork ${how}.`,
    details: tenderlyDetails,
    retryAfterSeconds: 1,
  });
}
