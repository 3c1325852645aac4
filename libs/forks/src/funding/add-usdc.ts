import { FundingFailedError } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { LaunchedFork } from '../ports.js';
import { createForkClient } from '../rpc/create-fork-client.js';
import { findServiceError } from '../rpc/find-service-error.js';
import type { ForkChain } from '../types.js';
import { isBlacklisted } from './is-blacklisted.js';
import { readUsdc } from './read-usdc.js';
import { usdcMethods, type UsdcMethod } from './usdc-methods.js';

/**
 * Add USDC to a wallet by the first way that works on the token.
 *
 * @throws {FundingFailedError} the wallet is blacklisted, or no way worked
 */
export async function addUsdc(
  fork: LaunchedFork,
  { key, usdc }: Pick<ForkChain, 'key' | 'usdc'>,
  address: Address,
  amount: bigint,
): Promise<void> {
  const client = createForkClient(fork);
  if (await isBlacklisted(client, usdc, address)) {
    throw new FundingFailedError({
      detail: `${address} is blacklisted by USDC on ${key}. It is left so; use another wallet.`,
      details: { chain: key, address, reason: 'blacklisted' },
      retryable: false,
      nextAction: 'Use another wallet.',
    });
  }
  const target = (await readUsdc(client, usdc.address, address)) + amount;
  const failures: unknown[] = [];
  const methods = usdcMethods(usdc);
  for (const method of methods) {
    try {
      if (await attempt(method)) return;
      failures.push(new Error(`${method.name} did not add the amount`));
    } catch (error) {
      const known = findServiceError(error);
      if (known) throw known;
      failures.push(error);
    }
  }
  throw new FundingFailedError({
    detail: `No way of getting USDC worked for ${address} on ${key}.`,
    details: { chain: key, address, tried: methods.map(({ name }) => name) },
    cause: new AggregateError(failures),
  });

  async function attempt(method: UsdcMethod): Promise<boolean> {
    // Less than the whole amount when an earlier way added a part of it.
    const missing = target - (await readUsdc(client, usdc.address, address));
    const wasSeen = await method.add({ fork, client, usdc, address, missing, target });
    // A transaction shows by its event what it added, whatever the wallet does meanwhile.
    return wasSeen ?? (await readUsdc(client, usdc.address, address)) === target;
  }
}
