import type { ActiveChain } from './active-chains.js';

/** What answers on a chain right now. */
export interface ChainProbe {
  readonly blockNumber: number | null;
  readonly rpc: 'ok' | 'down';
  /** `off`: none is configured. */
  readonly bundler: 'ok' | 'down' | 'off';
}

/** Ask the node and the bundler of a chain whether they answer, and for this chain. Never throws. */
export async function probeChain(chain: ActiveChain): Promise<ChainProbe> {
  const [node, bundler] = await Promise.all([probeRpc(chain), probeBundler(chain)]);
  return { ...node, bundler };
}

async function probeRpc({ rpc, chainId }: ActiveChain): Promise<Pick<ChainProbe, 'blockNumber' | 'rpc'>> {
  try {
    const [blockNumber, actualChainId] = await Promise.all([rpc.getBlockNumber(), rpc.getChainId()]);
    const rpcState = actualChainId === chainId ? 'ok' : 'down';
    return { blockNumber: rpcState === 'ok' ? Number(blockNumber) : null, rpc: rpcState };
  } catch {
    return { blockNumber: null, rpc: 'down' };
  }
}

async function probeBundler({ bundler, chainId }: ActiveChain): Promise<ChainProbe['bundler']> {
  if (!bundler) return 'off';
  try {
    return (await bundler.chainId()) === chainId ? 'ok' : 'down';
  } catch {
    return 'down';
  }
}
