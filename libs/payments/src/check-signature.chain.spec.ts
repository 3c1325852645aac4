import { testAccount } from '@yield-vault/testing';
import { concat, getContractAddress, serializeErc6492Signature, zeroHash, type Hex } from 'viem';
import { buildPayment } from '../test/support/build-payment.js';
import { buildResource } from '../test/support/build-resource.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import { isAcceptedByWallet } from './check-signature.js';
import type { Payment } from './types.js';

// Returns the selector of isValidSignature to every call.
const sayYes = '631626ba7e60e01b5f5260205ff3';
const spendAllGas: Hex = '0x5b5f56';
// Copies the code after it into the account.
const deploySayYes: Hex = `0x600e600a5f39600e5ff3${sayYes}`;
const create2Factory = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const odd: Hex = `0x${'ab'.repeat(200)}`;
const wallet = testAccount('contract wallet').address;

describe('isAcceptedByWallet', () => {
  let base: StartedPaymentChain;
  let payment: Payment;
  beforeAll(async () => {
    base = await startPaymentChain();
    payment = await buildPayment({ from: wallet }, buildResource([base.chain]));
  });
  afterAll(() => base.stop());

  it.each<[string, Hex, Hex, boolean]>([
    ['accepts it', `0x${sayYes}`, odd, true],
    ['responds with nothing', '0x00', odd, false],
    ['has no code', '0x', odd, false],
    ['has no code, but the key of another signed', '0x', `0x${'11'.repeat(64)}1b`, false],
    ['spends all gas', spendAllGas, odd, false],
  ])('behavior: a payer that %s', async (_, bytecode, signature, isAccepted) => {
    await base.node.setCode({ address: wallet, bytecode });
    expect(await isAcceptedByWallet({ ...payment, signature })).toBe(isAccepted);
  });

  it('behavior: a wallet before its deployment', async () => {
    const from = getContractAddress({
      opcode: 'CREATE2',
      from: create2Factory,
      salt: zeroHash,
      bytecode: deploySayYes,
    });
    const deployed = await buildPayment({ from }, buildResource([base.chain]));
    const data = concat([zeroHash, deploySayYes]);
    const signature = serializeErc6492Signature({ address: create2Factory, data, signature: odd });
    expect(await isAcceptedByWallet({ ...deployed, signature })).toBe(true);
    expect(await isAcceptedByWallet({ ...payment, signature })).toBe(false);
    expect(await base.node.getCode({ address: from })).toBeUndefined();
  });
});
