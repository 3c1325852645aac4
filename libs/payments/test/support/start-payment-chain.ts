import { createActiveChains, type ChainConfig } from '@yield-vault/chains';
import { canonical, localContracts } from '@yield-vault/contracts';
import { localUsdcAbi, placeLocalContracts, setLocalUsdcBalance } from '@yield-vault/testing/local';
import { startAnvil, testAccount } from '@yield-vault/testing';
import {
  createTestClient,
  http,
  parseEther,
  publicActions,
  type Address,
  type PublicActions,
  type TestClient,
} from 'viem';
import type { PaymentChain } from '../../src/types.js';

const deadlineMs = 2_000;

/** Receives payments in tests. */
export const payTo = testAccount('payee').address;
/** Pays gas in tests. */
export const relayer = testAccount('relayer');

export interface StartedPaymentChain {
  readonly rpcUrl: string;
  readonly node: TestClient<'anvil'> & PublicActions;
  readonly usdc: Address;
  readonly chain: PaymentChain;
  setUsdc(wallet: Address, amount: bigint): Promise<void>;
  usdcOf(wallet: Address): Promise<bigint>;
  stop(): Promise<void>;
}

/** A local chain with USDC, on which the relayer has ETH. */
export async function startPaymentChain(
  chainId: 1 | 8453 = 8453,
  args: readonly string[] = [],
): Promise<StartedPaymentChain> {
  const anvil = await startAnvil({ chainId, args });
  const node = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(publicActions);
  const usdc = canonical.usdc[chainId];
  await placeLocalContracts(node, chainId);
  await node.setBalance({ address: relayer.address, value: parseEther('100') });
  return {
    rpcUrl: anvil.rpcUrl,
    node,
    usdc,
    chain: paymentChain(anvil.rpcUrl, chainId),
    setUsdc: (wallet: Address, amount: bigint) => setLocalUsdcBalance(node, chainId, wallet, amount),
    usdcOf: (wallet: Address) =>
      node.readContract({ address: usdc, abi: localUsdcAbi, functionName: 'balanceOf', args: [wallet] }),
    stop: () => anvil.stop(),
  };
}

/** Describe a chain with USDC as a deployment does. */
export function paymentChain(rpcUrl: string, chainId: 1 | 8453 = 8453): PaymentChain {
  const key = chainId === 1 ? 'ethereum' : 'base';
  const config: ChainConfig = {
    chainId,
    name: key,
    relayMode: 'chain',
    confirmations: 0,
    rpcUrls: [rpcUrl],
    bundlerUrl: null,
    explorerUrl: 'https://basescan.org',
    entryPoint: canonical.entryPointV08,
    paymaster: { kind: 'own' },
    contracts: localContracts,
    usdc: canonical.usdc[chainId],
    fork: { opStack: false, bundlerAccounts: [] },
    deadlines: { rpcMs: deadlineMs, bundlerMs: deadlineMs },
  };
  const { rpc } = createActiveChains({ chains: { [key]: config } }).require(key);
  return {
    key,
    chainId,
    ...(chainId === 8453 && { v1Network: 'base' }),
    asset: { address: canonical.usdc[chainId], decimals: 6, name: 'USD Coin', version: '2' },
    rpc,
  };
}
