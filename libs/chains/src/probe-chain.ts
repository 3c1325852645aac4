import { sameHex } from '@yield-vault/protocol';
import type { ActiveChain } from './active-chains.js';
import { asUpstreamError } from './as-upstream-error.js';
import type { BundlerClient } from './bundler/bundler.js';
import type { CheckLog } from './check-call-gas.js';

/** The parts of a chain that respond right now. */
export interface ChainProbe {
  readonly blockNumber: number | null;
  /** The newest block, while the node responds. */
  readonly newestBlock?: { readonly timestamp: bigint; readonly baseFeePerGas: bigint | null };
  readonly rpc: 'ok' | 'down';
  /** `ok`: at least one responds. `off`: none is configured. */
  readonly bundler: 'ok' | 'down' | 'off';
  /** Each bundler by its name. */
  readonly bundlers: Readonly<Record<string, 'ok' | 'down'>>;
}

/**
 * Make the probe of a chain: whether its node and its bundlers respond, for this chain and entry point. The probe never
 * throws. It logs once why a part is down, until the part responds again.
 *
 * @param isLive - whether other calls prove that a part (e.g. `rpc:base`) responds; a part that passed is then not asked
 */
export function createChainProbe(
  log: CheckLog,
  isLive: (dependency: string) => boolean = () => false,
): (chain: ActiveChain) => Promise<ChainProbe> {
  const passed = new Map<string, NodeState>();
  const reported = new Set<string>();
  const report = (dependency: string, reason?: string) => {
    if (reason === undefined) return void reported.delete(dependency);
    if (!reported.has(dependency)) log.error({ dependency }, `${dependency} is down: ${reason}`);
    reported.add(dependency);
  };
  /** @returns the reason when the part is down */
  const ask = async (dependency: string, probe: () => Promise<NodeState | string>) => {
    const last = passed.get(dependency);
    if (last && isLive(dependency)) return last;
    const found = await probe().catch((error: unknown) => reasonOf(error, dependency));
    if (typeof found === 'string') passed.delete(dependency);
    else passed.set(dependency, found);
    report(dependency, typeof found === 'string' ? found : undefined);
    return found;
  };
  return async (chain) => {
    const probeOne = async (bundler: BundlerClient): Promise<[string, 'ok' | 'down']> => {
      const found = await ask(bundler.name, () => probeBundler(bundler, chain));
      return [bundler.name, typeof found === 'string' ? 'down' : 'ok'];
    };
    const [node, bundlers] = await Promise.all([
      ask(`rpc:${chain.key}`, () => probeNode(chain)),
      Promise.all(chain.bundlers.map(probeOne)),
    ]);
    const isAnyUp = bundlers.some(([, state]) => state === 'ok');
    return {
      ...(typeof node === 'string' ? { blockNumber: null, rpc: 'down' } : { ...node, rpc: 'ok' }),
      bundler: bundlers.length === 0 ? 'off' : isAnyUp ? 'ok' : 'down',
      bundlers: Object.fromEntries(bundlers),
    };
  };
}

type NodeState = Pick<ChainProbe, 'blockNumber' | 'newestBlock'>;

const reasonOf = (error: unknown, dependency: string): string =>
  asUpstreamError(error, dependency)?.detail ?? String(error);

/** Read the newest block of a chain's node. @returns the reason when it serves another chain */
export async function probeNode({ rpc, chainId }: ActiveChain): Promise<NodeState | string> {
  const [block, actual] = await Promise.all([rpc.getBlock(), rpc.getChainId()]);
  if (actual !== chainId) return `it serves chain id ${actual}`;
  const { number, timestamp, baseFeePerGas } = block;
  return { blockNumber: Number(number), newestBlock: { timestamp, baseFeePerGas } };
}

/** Check that a bundler serves a chain and its entry point. @returns the reason when it does not */
export async function probeBundler(
  bundler: BundlerClient,
  { chainId, entryPoint }: ActiveChain,
): Promise<NodeState | string> {
  const [actual, entryPoints] = await Promise.all([bundler.chainId(), bundler.supportedEntryPoints()]);
  if (actual !== chainId) return `it serves chain id ${actual}`;
  if (entryPoints.some((each) => sameHex(each, entryPoint))) {
    await bundler.probeMethods();
    return { blockNumber: null };
  }
  return `it supports the entry points ${entryPoints.join(', ')}, and the deployment uses ${entryPoint}`;
}
