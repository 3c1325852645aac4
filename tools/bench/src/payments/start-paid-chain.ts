import { startAnvil } from '@yield-vault/anvil';
import { canonical } from '@yield-vault/contracts';
import { activeBase } from '@yield-vault/devnet';
import { localUsdcAbi, placeLocalContracts, setLocalUsdcBalance } from '@yield-vault/testing/local';
import type { PaymentChain } from '@yield-vault/payments';
import { createTestClient, http, parseEther, publicActions, type Address } from 'viem';

const chainId = 8453;
const usdc = canonical.usdc[chainId];

/** A local chain that accepts payments. */
export interface PaidChain {
  readonly chain: PaymentChain;
  /** Fund a wallet for gas. */
  giveEth(wallet: Address): Promise<void>;
  /** @param amount - base units */
  giveUsdc(wallet: Address, amount: bigint): Promise<void>;
  /** @returns base units */
  usdcOf(wallet: Address): Promise<bigint>;
  stop(): Promise<void>;
}

/** Start an Anvil with USDC at its address on Base. It mines each transaction at once. */
export async function startPaidChain(): Promise<PaidChain> {
  const anvil = await startAnvil({ args: ['--chain-id', String(chainId)] });
  const node = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(publicActions);
  await placeLocalContracts(node, chainId);
  return {
    chain: {
      ...{ key: 'base', chainId, rpc: activeBase(anvil).rpc, v1Network: 'base' },
      asset: { address: usdc, decimals: 6, name: 'USD Coin', version: '2' },
    },
    giveEth: (address) => node.setBalance({ address, value: parseEther('1000') }),
    giveUsdc: (wallet, amount) => setLocalUsdcBalance(node, chainId, wallet, amount),
    usdcOf: (wallet) =>
      node.readContract({ address: usdc, abi: localUsdcAbi, functionName: 'balanceOf', args: [wallet] }),
    stop: () => anvil.kill(),
  };
}
