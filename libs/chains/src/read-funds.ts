import { entryPointV08Abi } from '@yield-vault/contracts';
import type { Address } from 'viem';
import type { ActiveChain } from './active-chains.js';

/** ETH that the service needs on a chain, in wei. */
export interface ChainFunds {
  /** Of our paymaster at the entry point; absent with another paymaster. */
  readonly paymasterDeposit?: bigint;
  readonly paymasterStake?: bigint;
  /** Of the account that pays gas for the service; absent without one. */
  readonly gasAccount?: bigint;
}

/** Read what our paymaster has at the entry point, and the balance of the account that pays gas. */
export async function readFunds(
  { rpc, entryPoint, contracts, paymaster }: ActiveChain,
  gasAccount?: Address,
): Promise<ChainFunds> {
  const [info, balance] = await Promise.all([
    paymaster.kind === 'own' &&
      rpc.readContract({
        address: entryPoint,
        abi: entryPointV08Abi,
        functionName: 'getDepositInfo',
        args: [contracts.paymaster],
      }),
    gasAccount && rpc.getBalance({ address: gasAccount }),
  ]);
  return {
    ...(info && { paymasterDeposit: info.deposit, paymasterStake: BigInt(info.stake) }),
    ...(balance !== undefined && { gasAccount: balance }),
  };
}
