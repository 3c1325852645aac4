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
 */
export function createChainProbe(log: CheckLog): (chain: ActiveChain) => Promise<ChainProbe> {
  const reported = new Set<string>();
  const report = (dependency: string, reason?: string) => {
    if (reason === undefined) return void reported.delete(dependency);
    if (!reported.has(dependency)) log.error({ dependency }, `${dependency} is down: ${reason}`);
    reported.add(dependency);
  };
  return async (chain) => {
    const probeOne = async (bundler: BundlerClient): Promise<[string, 'ok' | 'down']> => {
      const { name } = bundler;
      const reason = await probeBundler(bundler, chain).catch((error: unknown) => reasonOf(error, name));
      report(name, reason);
      return [name, reason === undefined ? 'ok' : 'down'];
    };
    const [node, bundlers] = await Promise.all([
      probeNode(chain).catch((error: unknown) => reasonOf(error, `rpc:${chain.key}`)),
      Promise.all(chain.bundlers.map(probeOne)),
    ]);
    report(`rpc:${chain.key}`, typeof node === 'string' ? node : undefined);
    const isAnyUp = bundlers.some(([, state]) => state === 'ok');
    return {
      ...(typeof node === 'string' ? { blockNumber: null, rpc: 'down' } : { ...node, rpc: 'ok' }),
      bundler: bundlers.length === 0 ? 'off' : isAnyUp ? 'ok' : 'down',
      bundlers: Object.fromEntries(bundlers),
    };
  };
}

const reasonOf = (error: unknown, dependency: string): string =>
  asUpstreamError(error, dependency)?.detail ?? String(error);

/** Read the newest block of a chain's node. @returns the reason when it serves another chain */
export async function probeNode({
  rpc,
  chainId,
}: ActiveChain): Promise<Pick<ChainProbe, 'blockNumber' | 'newestBlock'> | string> {
  const [block, actual] = await Promise.all([rpc.getBlock(), rpc.getChainId()]);
  if (actual !== chainId) return `it serves chain id ${actual}`;
  const { number, timestamp, baseFeePerGas } = block;
  return { blockNumber: Number(number), newestBlock: { timestamp, baseFeePerGas } };
}

/** Check that a bundler serves a chain and its entry point. @returns the reason when it does not */
export async function probeBundler(
  bundler: BundlerClient,
  { chainId, entryPoint }: ActiveChain,
): Promise<string | undefined> {
  const [actual, entryPoints] = await Promise.all([bundler.chainId(), bundler.supportedEntryPoints()]);
  if (actual !== chainId) return `it serves chain id ${actual}`;
  if (entryPoints.some((each) => sameHex(each, entryPoint))) {
    await bundler.probeMethods();
    return undefined;
  }
  return `it supports the entry points ${entryPoints.join(', ')}, and the deployment uses ${entryPoint}`;
}
