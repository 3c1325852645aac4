import { createActiveChains, type ChainConfig } from '@yield-vault/chains';
import { canonical, chainFacts, localContracts } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import type { PaymentChain } from '../../src/types.js';

const deadlineMs = 2_000;

/** Receives payments in tests. */
export const payTo = testAccount('payee').address;
/** Pays gas in tests. */
export const relayer = testAccount('relayer');

/** Describe a chain with USDC as a deployment does. */
export function paymentChain(rpcUrl: string, chainId: 1 | 8453 = 8453): PaymentChain {
  const key = chainId === 1 ? 'ethereum' : 'base';
  const config: ChainConfig = {
    chainId,
    name: key,
    relayMode: 'chain',
    confirmations: 0,
    rpcUrls: [rpcUrl],
    bundlerUrls: [],
    explorerUrl: 'https://basescan.org',
    entryPoint: canonical.entryPointV08,
    paymaster: { kind: 'own' },
    contracts: localContracts(chainId),
    usdc: chainFacts(chainId).usdc.address,
    fork: { opStack: false, bundlerAccounts: [] },
    deadlines: { rpcMs: deadlineMs, bundlerMs: deadlineMs },
  };
  const { rpc } = createActiveChains({ chains: { [key]: config } }).require(key);
  return {
    key,
    chainId,
    ...(chainId === 8453 && { v1Network: 'base' }),
    asset: { address: chainFacts(chainId).usdc.address, decimals: 6, name: 'USD Coin', version: '2' },
    rpc,
  };
}
