import type { ActiveChain } from './active-chains.js';

/** The parts of a chain that respond right now. */
export interface ChainProbe {
  readonly blockNumber: number | null;
  /** The newest block, while the node responds. */
  readonly newestBlock?: { readonly timestamp: bigint; readonly baseFeePerGas: bigint | null };
  readonly rpc: 'ok' | 'down';
  /** `off`: none is configured. */
  readonly bundler: 'ok' | 'down' | 'off';
}

/** Ask the node and the bundler of a chain whether they answer, and for this chain. Never throws. */
export async function probeChain(chain: ActiveChain): Promise<ChainProbe> {
  const [node, bundler] = await Promise.all([probeRpc(chain), probeBundler(chain)]);
  return { ...node, bundler };
}

async function probeRpc({ rpc, chainId }: ActiveChain): Promise<Omit<ChainProbe, 'bundler'>> {
  try {
    const [block, actualChainId] = await Promise.all([rpc.getBlock(), rpc.getChainId()]);
    if (actualChainId !== chainId) return { blockNumber: null, rpc: 'down' };
    const { number, timestamp, baseFeePerGas } = block;
    return { blockNumber: Number(number), newestBlock: { timestamp, baseFeePerGas }, rpc: 'ok' };
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
