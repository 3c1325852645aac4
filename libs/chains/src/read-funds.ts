import { entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import { erc20Abi, type Address } from 'viem';
import type { ActiveChain } from './active-chains.js';

/** What the service needs on a chain to pay for operations; amounts in wei. */
export interface ChainFunds {
  /** Of our paymaster at the entry point; absent with another paymaster. */
  readonly paymasterDeposit?: bigint;
  readonly paymasterStake?: bigint;
  /** What our paymaster earned and did not send out, in base units. */
  readonly paymasterUsdc?: bigint;
  /** The paymaster's stored price of an ether without markup, in base units of USDC. */
  readonly usdcPerEther?: bigint;
  /** Unix seconds until which our paymaster accepts its stored price. */
  readonly paymasterPriceValidUntil?: number;
  /** Unix seconds at which the last tenth of the life of that price begins. */
  readonly paymasterPriceRefreshAt?: number;
  /** Of the account that pays gas for the service; absent without one. */
  readonly gasAccount?: bigint;
}

/** Read in one block what our paymaster has, and its price; and the balance of the account that pays gas. */
export async function readFunds(
  { rpc, entryPoint, contracts, paymaster, usdc }: ActiveChain,
  gasAccount?: Address,
): Promise<ChainFunds> {
  const [info, terms, paymasterUsdc] =
    paymaster.kind === 'own'
      ? await rpc.multicall({
          allowFailure: false,
          contracts: [
            {
              address: entryPoint,
              abi: entryPointV08Abi,
              functionName: 'getDepositInfo',
              args: [contracts.paymaster],
            },
            { address: contracts.paymaster, abi: usdcPaymasterAbi, functionName: 'terms' },
            { address: usdc, abi: erc20Abi, functionName: 'balanceOf', args: [contracts.paymaster] },
          ],
        })
      : [];
  // One after the other: a failure leaves no request running.
  const balance = gasAccount && (await rpc.getBalance({ address: gasAccount }));
  return {
    paymasterDeposit: info?.deposit,
    paymasterStake: info && BigInt(info.stake),
    usdcPerEther: terms?.[0],
    paymasterPriceValidUntil: terms?.[1],
    paymasterPriceRefreshAt: terms?.[2],
    paymasterUsdc,
    gasAccount: balance,
  };
}
