import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { percentageToFraction, UpstreamUnavailableError } from '@yield-vault/protocol';
import {
  interpretWalletState,
  nonceKey,
  readRemovedDefaults,
  usdcPermitAbi,
  walletStateCalls,
} from '@yield-vault/smart-account';
import { erc20Abi, erc4626Abi, type Address } from 'viem';
import { readChained } from './chained-reads.js';
import { valueOf } from './errors.js';
import { readFees } from './response/estimate-costs.js';
import { depositVaultOf } from './request.js';
import { canBeGasless } from './setup.js';
import type { CheckedRequest, Reading, WalletReading } from './types.js';
import type { Paymaster } from './paymasters/types.js';
import { sharePriceProbe } from './vault-checks.js';

const retryAfterSeconds = 30;

/**
 * Read everything that a request needs in one round trip: one batch to the node, while the bundler quotes its fees and
 * the paymaster its terms.
 *
 * @param allowance - that a setup grants the paymaster, in base units of USDC; 0 where it takes none
 * @throws {UpstreamUnavailableError} when the node, the bundler or the paymaster does not respond
 * @throws {InvalidParametersError} when the wallet is a contract
 */
export async function readWallet(
  request: CheckedRequest,
  paymaster: Paymaster,
  allowance: bigint,
): Promise<WalletReading> {
  const { chain, wallet } = request;
  const { rpc, bundler, contracts } = chain;
  const nodeFees = readFees(chain);
  const canSetUp = request.operation === 'deposit' && canBeGasless(chain, allowance);
  const requests = [
    rpc.getCode({ address: wallet }),
    readChained(chain, readsOf(request)),
    nodeFees,
    readRemovedDefaults(rpc, wallet),
    canSetUp ? rpc.getTransactionCount({ address: wallet }) : Promise.resolve(undefined),
  ] as const;
  const quoted = paymaster.terms();
  const reads = Promise.all(requests).catch(async (error: unknown) => {
    // Leave no request running.
    await Promise.allSettled([...requests, quoted]);
    throw asUpstreamError(error, `rpc:${chain.key}`) ?? error;
  });
  const withoutBundler = unavailable(`bundler:${chain.key}`, `${chain.name} has no bundler.`);
  // A wallet that needs a setup needs neither bundler nor paymaster: their failures count only below.
  const [[code, results, fees, removed, transactionCount], [price, terms]] = await Promise.all([
    reads,
    Promise.allSettled([bundler?.gasPrice(nodeFees) ?? Promise.reject(withoutBundler), quoted]),
  ]);

  const state = interpretWalletState(contracts, code, {
    validatorInstalled: resultOf(results.validatorInstalled),
    executorInstalled: resultOf(results.executorInstalled),
    paymasterAllowance: resultOf(results.paymasterAllowance),
  });
  const isOurs = state.kind === 'modules-missing' || state.kind === 'configured';
  // USDC always responds. A node without it must not make modules look missing.
  const paymasterAllowance = isOurs ? requireResult(results.paymasterAllowance, chain) : 0n;
  const isReady = state.kind === 'configured' && (allowance === 0n || paymasterAllowance > 0n);
  const permit = results.permitNonce && resultOf(results.permitNonce);
  const hasRemovedModule = removed.length > 0;
  // Our hooks cannot run without a default module.
  const isGasless = canSetUp && !hasRemovedModule && (allowance === 0n || permit !== undefined);
  return {
    fees,
    terms: terms.status === 'fulfilled' ? terms.value : undefined,
    redeemed: results.redeemed,
    hasRemovedModule,
    setupType: isReady ? undefined : isOurs ? 'modules' : 'full',
    setupNonces: isGasless ? { authorization: isOurs ? undefined : transactionCount, permit } : undefined,
    snapshot: () => {
      if (!bundler) throw withoutBundler;
      if (price.status === 'rejected') throw price.reason;
      if (terms.status === 'rejected') throw terms.reason;
      return {
        paymasterAllowance,
        nonce: requireResult(results.nonce, chain),
        usdcBalance: requireResult(results.usdcBalance, chain),
        assetBalance: results.assetBalance ? valueOf(results.assetBalance, request) : 0n,
        shareBalance: results.shareBalance ? valueOf(results.shareBalance, request) : 0n,
        redeemed: results.redeemed,
        depositVault: results.deposited && results,
        gasPrice: price.value,
        fees,
        bundler,
        paymaster: terms.value,
      };
    },
  };
}

/** All reads of a request; vaults and their assets last, so they cannot take gas from the other reads. */
export const readsOf = (request: CheckedRequest) => ({ ...walletReads(request), ...vaultReads(request) });

/** Reads of the vaults of a request, and of what the wallet has for it. */
export const vaultReads = (request: CheckedRequest) => ({
  ...redeemReads(request),
  ...depositReads(request),
});

/** Reads of the wallet's state, and of what each of its operations needs. */
function walletReads({ chain, wallet }: CheckedRequest) {
  const { contracts, entryPoint, usdc, chainId } = chain;
  const [validatorInstalled, executorInstalled, paymasterAllowance] = walletStateCalls(
    { ...contracts, usdc, entryPoint, chainId },
    wallet,
  );
  return {
    validatorInstalled,
    executorInstalled,
    paymasterAllowance,
    nonce: {
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getNonce',
      args: [wallet, nonceKey(contracts.validator)],
    },
    usdcBalance: balanceRead(usdc, wallet),
  } as const;
}

/** Reads of a redeem or rebalance: the share balance, and the assets that the redeemed part pays. */
function redeemReads(request: CheckedRequest) {
  if (request.operation === 'deposit') return {};
  const { wallet, vault } = request;
  const preview = { address: vault.vaultAddress, abi: erc4626Abi, functionName: 'previewRedeem' } as const;
  const amount = request.operation === 'redeem' ? request.amount : { percentage: 100 };
  const shareBalance = balanceRead(vault.vaultAddress, wallet);
  if ('shares' in amount) return { shareBalance, redeemed: { ...preview, args: [amount.shares] } } as const;
  const takes = { read: 'shareBalance', part: percentageToFraction(amount.percentage) } as const;
  return { shareBalance, redeemed: { ...preview, args: [0n], takes } } as const;
}

/** Reads of a deposit or rebalance: the deposit vault, its quote in shares, and the quote of redeeming them at once. */
function depositReads(request: CheckedRequest) {
  const depositVault = depositVaultOf(request);
  if (!depositVault) return {};
  const { asset, vaultAddress } = depositVault;
  const {
    wallet,
    chain: { usdc, paymaster },
  } = request;
  const vault = { address: vaultAddress, abi: erc4626Abi } as const;
  const preview = { ...vault, functionName: 'previewDeposit' } as const;
  const isDeposit = request.operation === 'deposit';
  return {
    permitNonce:
      isDeposit && paymaster.kind === 'circle'
        ? { address: usdc, abi: usdcPermitAbi, functionName: 'nonces', args: [wallet] }
        : undefined,
    assetBalance: isDeposit ? balanceRead(asset.address, wallet) : undefined,
    asset: { ...vault, functionName: 'asset' },
    assetDecimals: { address: asset.address, abi: erc20Abi, functionName: 'decimals' },
    shareDecimals: { address: vaultAddress, abi: erc20Abi, functionName: 'decimals' },
    totalShares: { ...vault, functionName: 'totalSupply' },
    deposited: isDeposit
      ? { ...preview, args: [request.assets] }
      : { ...preview, args: [0n], takes: { read: 'redeemed' } },
    returned: { ...vault, functionName: 'previewRedeem', args: [0n], takes: { read: 'deposited' } },
    price: { ...vault, functionName: 'convertToAssets', args: [sharePriceProbe(depositVault)] },
  } as const;
}

const balanceRead = (token: Address, wallet: Address) =>
  ({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }) as const;

/** Take the result of a contract that every node must know. Vaults have no influence on it. */
function requireResult<T>(reading: Reading<T>, { key }: ActiveChain): T {
  if ('value' in reading) return reading.value;
  throw unavailable(`rpc:${key}`, `The node of ${key} lacks contracts that must be deployed.`);
}

const resultOf = <T>(reading: Reading<T>): T | undefined => ('value' in reading ? reading.value : undefined);

function unavailable(dependency: string, detail: string): UpstreamUnavailableError {
  return new UpstreamUnavailableError({ detail, details: { dependency }, retryAfterSeconds });
}
