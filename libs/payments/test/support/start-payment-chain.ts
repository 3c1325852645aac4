import { chainFacts } from '@yield-vault/contracts';
import { localUsdcAbi, placeLocalContracts, setLocalUsdcBalance } from '@yield-vault/testing/local';
import { startAnvil } from '@yield-vault/testing';
import {
  createTestClient,
  http,
  parseEther,
  publicActions,
  type Address,
  type LocalAccount,
  type PublicActions,
  type TestClient,
} from 'viem';
import type { PaidRequest, PaymentChain } from '../../src/types.js';
import { price } from './build-payments.js';
import { buildRequest } from './build-request.js';
import { paymentChain, relayer } from './payment-chain.js';
import { signPayment } from './sign-payment.js';

export interface StartedPaymentChain {
  readonly rpcUrl: string;
  readonly node: TestClient<'anvil'> & PublicActions;
  readonly usdc: Address;
  readonly chain: PaymentChain;
  setUsdc(wallet: Address, amount: bigint): Promise<void>;
  usdcOf(wallet: Address): Promise<bigint>;
  /** Give a wallet the price of a call, and build a request that it pays for. */
  payFrom(payer: LocalAccount): Promise<PaidRequest>;
  stop(): Promise<void>;
}

/** A local chain with USDC, on which the relayer has ETH. */
export async function startPaymentChain(
  chainId: 1 | 8453 = 8453,
  args: readonly string[] = [],
): Promise<StartedPaymentChain> {
  const anvil = await startAnvil({ chainId, args });
  const node = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(publicActions);
  const usdc = chainFacts(chainId).usdc.address;
  await placeLocalContracts(node, chainId);
  await node.setBalance({ address: relayer.address, value: parseEther('100') });
  const chain = paymentChain(anvil.rpcUrl, chainId);
  const setUsdc = (wallet: Address, amount: bigint) => setLocalUsdcBalance(node, chainId, wallet, amount);
  return {
    rpcUrl: anvil.rpcUrl,
    node,
    usdc,
    chain,
    setUsdc,
    payFrom: async (payer) => {
      await setUsdc(payer.address, price);
      return buildRequest({ 'PAYMENT-SIGNATURE': (await signPayment(payer, chain)).v2 });
    },
    usdcOf: (wallet: Address) =>
      node.readContract({ address: usdc, abi: localUsdcAbi, functionName: 'balanceOf', args: [wallet] }),
    stop: () => anvil.stop(),
  };
}
