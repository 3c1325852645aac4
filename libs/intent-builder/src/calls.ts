import { asUpstreamError, isExecutionRevert, revertDataOf } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import type { CallsResponse } from '@yield-vault/protocol';
import {
  delegationCode,
  encodeRouterCalls,
  encodeWalletCalls,
  type RouterCall,
} from '@yield-vault/smart-account';
import { erc20Abi, numberToHex } from 'viem';
import { requireShares } from './balances.js';
import { readChained } from './chained-reads.js';
import { insufficientBalance, valueOf } from './errors.js';
import { buildHooks, takeQuotes } from './operation.js';
import { sharesOf } from './request.js';
import { describeEffect } from './response/summary.js';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest } from './types.js';
import { checkVaultPrice, checkVaultTokens } from './vault-checks.js';
import { vaultReads } from './wallet.js';

/** Build the calls of a checked deposit or redeem: one round trip to read, one to simulate. */
export async function buildCalls(
  request: CheckedRequest,
  options: IntentBuilderOptions,
): Promise<CallsResponse> {
  const { chain, wallet, vault } = request;
  const { vaultAddress } = vault;
  const token = vault.asset.address;
  const { router } = chain.contracts;
  const operation = request.operation === 'deposit' ? 'deposit' : 'redeem';
  const reads = await readChained(chain, {
    allowance: {
      address: operation === 'deposit' ? token : vaultAddress,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [wallet, router],
    },
    ...vaultReads(request),
  });
  const snapshot = {
    shareBalance: reads.shareBalance ? valueOf(reads.shareBalance, request) : 0n,
    redeemed: reads.redeemed,
    depositVault: reads.deposited && reads,
    // The wallet pays for gas in ether, so no hook restores this allowance.
    paymasterAllowance: 0n,
  };
  checkVaultTokens(request, snapshot);
  if (request.operation !== 'deposit') requireShares(request, snapshot, () => 0n);
  else requireAssets(request, reads.assetBalance ? valueOf(reads.assetBalance, request) : 0n);
  const quotes = takeQuotes(request, snapshot);
  checkVaultPrice(request, snapshot, quotes, options);
  const { minOut } = buildHooks(request, snapshot, quotes, options.expirySeconds, {
    ...options,
    paymasterAllowanceUsdc: 0n,
  });
  const amount = request.operation === 'deposit' ? request.assets : sharesOf(request, snapshot.shareBalance);
  const calls = encodeRouterCalls(
    { operation, vault: vaultAddress, token, amount, minOut },
    valueOf(reads.allowance, request) > 0n,
    router,
  );
  await simulate(request, calls);
  return {
    version: '2.0.0',
    chainId: numberToHex(chain.chainId),
    from: wallet,
    atomicRequired: false,
    calls: calls.map((call) => ({ ...call, value: '0x0' })),
    minOut: minOut.toString(),
    summary: describeEffect(request, snapshot, minOut),
  };
}

function requireAssets(
  { vault: { asset }, assets }: Extract<CheckedRequest, { operation: 'deposit' }>,
  available: bigint,
): void {
  if (assets <= available) return;
  throw insufficientBalance({
    what: asset.symbol,
    token: asset.address,
    decimals: asset.decimals,
    required: assets,
    available,
    gas: 0n,
    ...(available > 0n && { maxAmount: available }),
  });
}

/**
 * Run the calls as one batch of the wallet, on the newest block. For this run alone, the wallet delegates to our account.
 *
 * @throws {VaultAtCapacityError | PreflightSimulationError} when they revert
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
async function simulate(request: CheckedRequest, calls: readonly RouterCall[]): Promise<void> {
  const { chain, wallet } = request;
  const data = encodeWalletCalls(calls);
  const stateOverride = [{ address: wallet, code: delegationCode(chain.contracts.account) }];
  try {
    await chain.rpc.call({ account: wallet, to: wallet, data, stateOverride });
  } catch (error) {
    const revertData = revertDataOf(error) ?? (isExecutionRevert(error) ? '0x' : undefined);
    if (revertData) valueOf({ revertReason: decodeRevertReason(revertData) }, request);
    throw asUpstreamError(error, `rpc:${chain.key}`) ?? error;
  }
}
