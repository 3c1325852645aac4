import { FundingFailedError, type ServiceError } from '@yield-vault/protocol';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import type { LaunchedFork } from '../ports.js';
import { createForkClient } from '../rpc/create-fork-client.js';
import { findServiceError } from '../rpc/find-service-error.js';
import type { ForkChain, FundedBalances, Funding } from '../types.js';
import { addUsdc } from './add-usdc.js';
import { readUsdc } from './read-usdc.js';

const queueLimit = 1_000;

/**
 * Make what adds to the balances of wallets on a fork. Concurrent calls all count.
 *
 * @throws {FundingFailedError} (of the result) the wallet is blacklisted, or no way of getting USDC worked
 * @throws {ForkNotRunningError} (of the result) the fork is gone
 */
export function createFunder(
  fork: LaunchedFork,
  chain: Pick<ForkChain, 'key' | 'usdc'>,
): (funding: Funding) => Promise<FundedBalances> {
  const client = createForkClient(fork);
  // One at a time: most ways of getting USDC read a balance and set another.
  const inTurn = bulkhead(1, queueLimit);

  const fund = async ({ address, ethWei = 0n, usdcBaseUnits = 0n }: Funding): Promise<FundedBalances> => {
    if (usdcBaseUnits > 0n) {
      await inTurn.execute(() => addUsdc(fork, chain, address, usdcBaseUnits));
    }
    // After USDC, which may be refused: then nothing is added.
    if (ethWei > 0n) await fork.addEth(address, ethWei);
    // Balances change without a transaction: whoever keeps state by block would go on showing what was before.
    await fork.mine(1);
    const [eth, usdc] = await Promise.all([
      fork.request('eth_getBalance', [address, 'latest']),
      readUsdc(client, chain.usdc.address, address),
    ]);
    return { ethWei: BigInt(eth as string), usdcBaseUnits: usdc };
  };
  return (funding) =>
    fund(funding).catch((error: unknown) => {
      throw asFundingError(error, chain.key);
    });
}

function asFundingError(error: unknown, chain: string): ServiceError {
  const known = findServiceError(error);
  if (known) return known;
  const detail =
    error instanceof BulkheadRejectedError
      ? `Too many wallets wait to be funded on ${chain}.`
      : `Balances of ${chain} could not be read or set.`;
  return new FundingFailedError({ detail, details: { chain }, retryAfterSeconds: 1, cause: error });
}
