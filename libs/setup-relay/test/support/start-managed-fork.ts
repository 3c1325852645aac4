import type { ActiveChain } from '@yield-vault/chains';
import { activeBase } from '@yield-vault/devnet';
import { startAnvil, type Anvil } from '@yield-vault/testing';
import { numberToHex } from 'viem';
import { chainId } from './build-setup.js';

/** A fork of a chain without automatic mining, which can be removed and recreated. */
export interface ManagedFork {
  /** The chain as it is now; another one after `recreate`. */
  chain(): ActiveChain;
  rpcUrl(): string;
  /** Blocks that `confirm` was asked for, call by call. */
  readonly confirmed: number[];
  confirm(chain: string, blocks: number): Promise<void>;
  kill(): Promise<void>;
  recreate(): Promise<void>;
}

/** Start a managed fork of the chain behind an RPC address. */
export async function startManagedFork(upstreamUrl: string): Promise<ManagedFork> {
  const start = () => startAnvil({ chainId, args: ['--fork-url', upstreamUrl, '--accounts', '0'] });
  let anvil: Anvil = await start();
  let chain = describe(anvil);
  const confirmed: number[] = [];
  return {
    chain: () => chain,
    rpcUrl: () => anvil.rpcUrl,
    confirmed,
    async confirm(_, blocks) {
      confirmed.push(blocks);
      await chain.rpc.request({ method: 'anvil_mine', params: [numberToHex(blocks)] } as never);
    },
    kill: () => anvil.stop(),
    async recreate() {
      await anvil.stop();
      anvil = await start();
      chain = describe(anvil);
    },
  };
}

function describe({ rpcUrl }: Anvil): ActiveChain {
  return { ...activeBase({ rpcUrl }), relayMode: 'managed-fork' };
}
