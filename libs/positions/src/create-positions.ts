import { asReadFailure } from '@yield-vault/chains';
import type { StatusResponse } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { PositionsChain, VaultsPort } from './ports.js';
import { loadHoldings } from './load-holdings.js';
import { summarise } from './summarise.js';

/** Dependencies of `createPositions`. */
export interface PositionsDependencies {
  readonly chains: { readonly all: readonly PositionsChain[] };
  readonly vaults: VaultsPort;
  readonly options?: PositionsOptions;
}

/** How logs are read, by chain key; a chain that is not named takes the default. */
export interface PositionsOptions {
  /** First block to look for events of a wallet; default 0. */
  readonly logsFromBlock?: Readonly<Record<string, bigint>>;
  /** Blocks of the first log request; default 10 000. It adapts to what the node accepts. */
  readonly logBlocks?: Readonly<Record<string, bigint>>;
}

/** The positions of wallets, with their cost and earnings. */
export interface Positions {
  /**
   * Report the positions of a wallet on every chain.
   *
   * @throws {UpstreamUnavailableError} when any chain cannot be read: a part would look like the whole
   */
  status(userAddress: Address): Promise<StatusResponse>;
}

const defaultLogBlocks = 10_000n;

/**
 * Create the reader of positions.
 *
 * @example
 * const positions = createPositions({ chains, vaults: discovery });
 * const { totalValueUsd } = await positions.status('0x…');
 */
export function createPositions({ chains, vaults, options = {} }: PositionsDependencies): Positions {
  const holdingsOn = async (chain: PositionsChain, wallet: Address) => {
    try {
      return await loadHoldings(chain.rpc, vaults.list(chain.key), wallet, {
        fromBlock: options.logsFromBlock?.[chain.key] ?? 0n,
        initialBlocks: options.logBlocks?.[chain.key] ?? defaultLogBlocks,
      });
    } catch (error) {
      throw asReadFailure(error, `rpc:${chain.key}`) ?? error;
    }
  };
  return {
    status: async (userAddress) => {
      const holdings = await Promise.all(chains.all.map((chain) => holdingsOn(chain, userAddress)));
      return summarise(holdings.flat());
    },
  };
}
