import { entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import type { Address } from 'viem';
import type { ActiveChain } from './active-chains.js';

/** What the service needs on a chain to pay for operations; amounts in wei. */
export interface ChainFunds {
  /** Of our paymaster at the entry point; absent with another paymaster. */
  readonly paymasterDeposit?: bigint;
  readonly paymasterStake?: bigint;
  /** Unix seconds until which our paymaster accepts its stored price. */
  readonly paymasterPriceValidUntil?: number;
  /** Of the account that pays gas for the service; absent without one. */
  readonly gasAccount?: bigint;
}

/** Read what our paymaster has at the entry point, its price's validity, and the balance of the account that pays gas. */
export async function readFunds(
  { rpc, entryPoint, contracts, paymaster }: ActiveChain,
  gasAccount?: Address,
): Promise<ChainFunds> {
  const isOwn = paymaster.kind === 'own';
  // One after the other: a failure leaves no request running.
  const info =
    isOwn &&
    (await rpc.readContract({
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getDepositInfo',
      args: [contracts.paymaster],
    }));
  const terms =
    isOwn &&
    (await rpc.readContract({
      address: contracts.paymaster,
      abi: usdcPaymasterAbi,
      functionName: 'terms',
    }));
  const balance = gasAccount && (await rpc.getBalance({ address: gasAccount }));
  return {
    ...(info && { paymasterDeposit: info.deposit, paymasterStake: BigInt(info.stake) }),
    ...(terms && { paymasterPriceValidUntil: terms[1] }),
    ...(balance !== undefined && { gasAccount: balance }),
  };
}
