import { canonical } from '@yield-vault/contracts';
import { erc20Abi, isAddressEqual, type Address } from 'viem';
import { knownSpenders } from '../known-contracts.js';
import type { DelegationRpc, WalletAllowance } from '../types.js';
import type { ChainDeployments } from './deployments-on.js';

/** Read how much USDC a wallet has, and who may take it. */
export async function readUsdc(
  rpc: Pick<DelegationRpc, 'multicall' | 'readContract'>,
  wallet: Address,
  deployments: ChainDeployments,
): Promise<{ readonly balance: bigint; readonly allowances: readonly WalletAllowance[] }> {
  const { usdc } = deployments[0];
  const spenders = spendersOf(deployments);
  const token = { address: usdc, abi: erc20Abi } as const;
  const [balance, amounts] = await Promise.all([
    rpc.readContract({ ...token, functionName: 'balanceOf', args: [wallet] }),
    rpc.multicall({
      contracts: spenders.map(
        ({ spender }) => ({ ...token, functionName: 'allowance', args: [wallet, spender] }) as const,
      ),
      allowFailure: false,
      multicallAddress: canonical.multicall3,
    }),
  ]);
  const allowances = spenders.map((spender, index) => ({ ...spender, amount: amounts[index]! }));
  return { balance, allowances: allowances.filter(({ amount }) => amount > 0n) };
}

function spendersOf(deployments: ChainDeployments): readonly Omit<WalletAllowance, 'amount'>[] {
  const paymasters = deployments.map(({ paymaster }) => ({
    spender: paymaster.address,
    name: `paymaster (${paymaster.kind})`,
    ours: true,
  }));
  const others = knownSpenders.map(({ address, name }) => ({ spender: address, name, ours: false }));
  const all = [...paymasters, ...others];
  return all.filter(
    ({ spender }, index) => all.findIndex((other) => isAddressEqual(other.spender, spender)) === index,
  );
}
