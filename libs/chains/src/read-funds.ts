import { entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import { erc20Abi, type Address } from 'viem';
import type { ActiveChain } from './active-chains.js';

const weiPerEther = 10n ** 18n;

/** What the service needs on a chain to pay for operations; amounts in wei. */
export interface ChainFunds {
  /** Of our paymaster at the entry point; absent with another paymaster. */
  readonly paymasterDeposit?: bigint;
  /** 0 once it is unlocked: bundlers require a locked stake. */
  readonly paymasterStake?: bigint;
  /** What our paymaster earned and did not send out, in base units. */
  readonly paymasterUsdc?: bigint;
  /** The paymaster's stored price of an ether without markup, in base units of USDC. */
  readonly usdcPerEther?: bigint;
  /** Unix seconds until which our paymaster accepts its stored price. */
  readonly paymasterPriceValidUntil?: number;
  /** Unix seconds at which the last tenth of the life of that price begins. */
  readonly paymasterPriceRefreshAt?: number;
  /** Most that one operation may cost our paymaster, at that price; absent without a price. */
  readonly operationCeiling?: bigint;
  /** Of the account that pays gas for the service; absent without one. */
  readonly gasAccount?: bigint;
  /** Of the account that refreshes that price; absent without one. */
  readonly keeper?: bigint;
}

/** Accounts of the service that pay gas. */
export type GasPayers = Partial<Readonly<Record<'gasAccount' | 'keeper', Address>>>;

/** Read in one block what our paymaster has, and its price; and the balances of the accounts that pay gas. */
export async function readFunds(
  { rpc, entryPoint, contracts, paymaster, usdc }: ActiveChain,
  payers: GasPayers = {},
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
  const balanceOf = async (address?: Address) => address && (await rpc.getBalance({ address }));
  const gasAccount = await balanceOf(payers.gasAccount);
  return {
    paymasterDeposit: info?.deposit,
    paymasterStake: info && (info.staked ? BigInt(info.stake) : 0n),
    usdcPerEther: terms?.[0],
    operationCeiling: terms?.[0] ? (terms[4] * weiPerEther) / terms[0] : undefined,
    paymasterPriceValidUntil: terms?.[1],
    paymasterPriceRefreshAt: terms?.[2],
    paymasterUsdc,
    gasAccount,
    keeper: await balanceOf(payers.keeper),
  };
}

/** What keeps our paymaster from serving: `paymaster`, a pause by its pauser; or `deposit`, which covers no operation. Redeems stop, too. */
export function paymasterFault({ paymasterDeposit, operationCeiling = 1n }: ChainFunds) {
  if (paymasterDeposit === undefined) return null;
  if (operationCeiling === 0n) return 'paymaster';
  return paymasterDeposit < operationCeiling ? 'deposit' : null;
}
