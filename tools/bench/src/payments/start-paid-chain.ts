import { startAnvil } from '@yield-vault/anvil';
import { createActiveChains } from '@yield-vault/chains';
import { canonical, localContracts } from '@yield-vault/contracts';
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
    chain: describeChain(anvil.rpcUrl),
    giveEth: (address) => node.setBalance({ address, value: parseEther('1000') }),
    giveUsdc: (wallet, amount) => setLocalUsdcBalance(node, chainId, wallet, amount),
    usdcOf: (wallet) =>
      node.readContract({ address: usdc, abi: localUsdcAbi, functionName: 'balanceOf', args: [wallet] }),
    stop: () => anvil.kill(),
  };
}

function describeChain(rpcUrl: string): PaymentChain {
  const key = 'base';
  const { rpc } = createActiveChains({
    chains: {
      [key]: {
        ...{ chainId, name: key, relayMode: 'chain', confirmations: 0, rpcUrls: [rpcUrl], bundlerUrl: null },
        ...{ explorerUrl: 'https://basescan.org', contracts: localContracts, usdc },
        ...{ entryPoint: canonical.entryPointV08, paymaster: { kind: 'own' } },
        fork: { opStack: false, bundlerAccounts: [] },
        deadlines: { rpcMs: 10_000, bundlerMs: 10_000 },
      },
    },
  }).require(key);
  return {
    ...{ key, chainId, rpc, v1Network: key },
    asset: { address: usdc, decimals: 6, name: 'USD Coin', version: '2' },
  };
}
