import type { Payer } from '@yield-vault/agent-client';
import { createPayer } from '@yield-vault/agent-client/x402';
import { chainFacts } from '@yield-vault/contracts';
import { activeBase, facilitatorKey } from '@yield-vault/devnet';
import type { PaymentChain } from '@yield-vault/payments';
import { startAnvil } from '@yield-vault/testing';
import { placeLocalContracts, setLocalUsdcBalance } from '@yield-vault/testing/local';
import { createTestClient, erc20Abi, http, parseEther, publicActions, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Defer } from './harness.js';

/** Price of a call, in USD and in base units. */
export const [priceUsd, price] = ['0.01', 10_000n];
const chainId = 8453;
const usdc = chainFacts(chainId).usdc.address;

/** Signs a payment and returns its headers. */
export type Sign = () => ReturnType<Payer>;

/** Start an Anvil with USDC at its address on Base, and a funded facilitator. It mines each transaction at once. */
export async function startPaidChain(defer: Defer) {
  const anvil = await startAnvil({ chainId });
  defer(() => anvil.stop());
  const { rpcUrl } = anvil;
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
  await placeLocalContracts(node, chainId);
  const facilitator = privateKeyToAccount(facilitatorKey);
  await node.setBalance({ address: facilitator.address, value: parseEther('1000') });
  const chain: PaymentChain = {
    key: 'base',
    chainId,
    rpc: activeBase({ rpcUrl }).rpc,
    v1Network: 'base',
    asset: { address: usdc, decimals: 6, name: 'USD Coin', version: '2' },
  };
  return {
    chain,
    rpcUrl,
    facilitator,
    payTo: privateKeyToAccount(generatePrivateKey()).address,
    /** @returns base units */
    usdcOf: (wallet: Address) =>
      node.readContract({ address: usdc, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
    /** Make a rich payer that reads the terms once and pays with the official client. */
    newPayer: async (url: string): Promise<Sign> => {
      const account = privateKeyToAccount(generatePrivateKey());
      await setLocalUsdcBalance(node, chainId, account.address, 10n ** 12n);
      const payer = createPayer(account);
      const { headers, text } = await post(url, {});
      return () => payer({ url, header: (name) => headers.get(name), body: JSON.parse(text) as unknown });
    },
  };
}

/** Send a request with a payment, or with none. */
export async function post(url: string, payment: Readonly<Record<string, string>>) {
  const headers = { 'content-type': 'application/json', ...payment };
  const response = await fetch(url, { method: 'POST', body: '{"chain":"base"}', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
