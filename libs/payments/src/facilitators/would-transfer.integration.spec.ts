import { suite, yieldVaultAccountDeployedBytecode } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { startRpcProxy, testAccount } from '@yield-vault/testing';
import { concat, toHex, type Hex } from 'viem';
import { buildPayment } from '../../test/support/build-payment.js';
import { price } from '../../test/support/build-payments.js';
import { buildResource } from '../../test/support/build-resource.js';
import type { PaymentParts } from '../../test/support/sign-payment.js';
import {
  paymentChain,
  startPaymentChain,
  type StartedPaymentChain,
} from '../../test/support/start-payment-chain.js';
import { wouldTransfer } from './would-transfer.js';

jest.setTimeout(60_000);

const payer = testAccount('payer');
let base: StartedPaymentChain;

beforeAll(async () => {
  base = await startPaymentChain();
});
afterAll(() => base.stop());
beforeEach(async () => {
  await base.setUsdc(payer.address, price);
  await base.node.setCode({ address: payer.address, bytecode: '0x' });
});

const ask = async (parts: PaymentParts = {}, chain = base.chain): Promise<boolean> =>
  wouldTransfer(await buildPayment(parts, buildResource([chain])));

describe('wouldTransfer', () => {
  it('default: a good payment, with one question', async () => {
    const fetches = jest.spyOn(globalThis, 'fetch');
    await expect(ask()).resolves.toBe(true);
    const asked = fetches.mock.calls.length;
    fetches.mockRestore();
    expect(asked).toBe(1);
  });

  it('behavior: it is only asked, not done', async () => {
    await ask();
    await expect(base.usdcOf(payer.address)).resolves.toBe(price);
  });

  it('behavior: the wallet decides once it has code', async () => {
    await base.node.setCode({ address: suite.account, bytecode: yieldVaultAccountDeployedBytecode });
    await base.node.setCode({ address: payer.address, bytecode: concat(['0xef0100', suite.account]) });
    await expect(ask()).resolves.toBe(true);
    await expect(ask({ signature: toHex(1, { size: 65 }) })).resolves.toBe(false);
  });

  it.each<[string, PaymentParts]>([
    ['a signature of nothing', { signature: toHex(27, { size: 65 }) }],
    ['a signature with a strange end', { signature: `0x${'11'.repeat(64)}05` as Hex }],
    ['a signature of another length', { signature: '0x1234' }],
    ['one that ran out', { validBefore: 1n }],
    ['one that is not valid yet', { validAfter: 10n ** 12n, validBefore: 10n ** 13n }],
  ])('error: %s', async (_, parts) => {
    await expect(ask(parts)).resolves.toBe(false);
  });

  it('error: a payer without the money', async () => {
    await base.setUsdc(payer.address, price - 1n);
    await expect(ask()).resolves.toBe(false);
  });

  it('error: a wallet that uses more gas than a transfer may', async () => {
    // Counts to zero from 40,000, and says yes.
    await base.node.setCode({
      address: payer.address,
      bytecode: '0x62009c405b6001900380600457631626ba7e60e01b5f5260205ff3',
    });
    await expect(ask()).resolves.toBe(false);
  });

  it('error: a node that does not answer', async () => {
    const proxy = await startRpcProxy(base.rpcUrl);
    proxy.setFault('http-500');
    await expect(ask({}, paymentChain(proxy.url))).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await proxy.stop();
  });
});
