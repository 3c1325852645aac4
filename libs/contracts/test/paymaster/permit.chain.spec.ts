import { type Address, type Hex, type PrivateKeyAccount, concatHex, erc20Abi, pad, slice } from 'viem';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import {
  type PackedUserOperation,
  allowanceOf,
  approvePaymasterHook,
  approveUsdc,
  configuredAgent,
  delegatedAgent,
  executorCall,
  hashUserOp,
  max,
  newWallet,
  signUserOp,
  signedOp,
  singleCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import {
  bundle,
  expectRefused,
  expectRuns,
  handleOps,
  nothing,
  prefundIn,
  usdcFor,
  watch,
} from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { localContracts, operator, undone, useTestChain } from '../support/chain.js';
import { sendFirstOperation } from '../support/first-operation.js';
import { owned, permitData, poke, signPermit } from '../support/paymaster.js';
import { handleOpsRevert } from '../support/reverts.js';

const { paymaster } = localContracts;
const value = 20_000_000n;
const unpaid = ['AA34 signature error'];

describe('UsdcPaymaster: permit in the data of the paymaster', () => {
  const chain = useTestChain();
  let attacker: PrivateKeyAccount;
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    attacker = await configuredAgent(chain);
  });
  beforeEach(async () => {
    agent = await delegatedAgent(chain);
  });

  const allowance = (spender: Address = paymaster) => allowanceOf(chain, chain.usdc, agent.address, spender);
  const nonce = () => chain.read(chain.usdc, localUsdcAbi, 'nonces', [agent.address]);
  const withData = (data: Hex, payer = agent) =>
    poke(chain, payer, { paymasterAndData: concatHex([usdcPaymasterAndData(200_000n), data]) });
  const withPermit = async (signer = agent, overrides: Parameters<typeof signPermit>[3] = {}) =>
    withData(permitData(chain, value, await signPermit(chain, signer, value, overrides)));
  const approve = (amount: bigint) => approveUsdc(chain, agent, paymaster, amount);
  /** Somebody else uses a permit of the agent. */
  const use = (signature: Hex, amount = value) => {
    const args = [agent.address, paymaster, amount, max, signature];
    return chain.write(chain.usdc, localUsdcAbi, 'permit', args, attacker);
  };

  it('default: sets the allowance, from which the operation pays', async () => {
    const userOp = await withPermit();
    const gains = await watch(chain, { agent: agent.address });
    const { outcome, receipt } = await handleOps(chain, userOp);
    expect(outcome).toMatchObject({ success: true });
    expect((await gains()).agent.usdc).toBe(-outcome.charged!);
    expect(await allowance()).toBe(value - prefundIn(receipt)!);
    expect(await nonce()).toBe(1n);
  });

  it.each([false, true])(
    'behavior: the first operation of a wallet without ether delegates too (permit used before: %s)',
    async (isUsed) => {
      agent = await newWallet(chain);
      if (isUsed) await use(await signPermit(chain, agent, value));
      const callData = executorCall(approvePaymasterHook(9n));
      const { outcome, userOp, hash } = await sendFirstOperation(chain, agent, callData, value);
      expect(outcome).toMatchObject({ sender: agent.address, success: true });
      expect(await allowance()).toBe(9n);
      expect(await chain.client.getBalance(agent)).toBe(0n);
      // The delegation stands: the account hashes its next operation itself.
      expect(await hashUserOp(chain, { ...userOp, initCode: '0x' })).not.toBe(hash);
    },
  );

  it('attack: somebody uses the permit first: it brings nothing, and the operation costs no more', async () => {
    const signature = await signPermit(chain, agent, value);
    const userOp = await withData(permitData(chain, value, signature));
    const plain = await undone(chain, () => expectRuns(chain, attacker, userOp, 0n));

    const gains = await watch(chain, { agent: agent.address });
    await use(signature);
    // The allowance is the paymaster's, and the paymaster takes only from who signed an operation.
    const take = encode(erc20Abi, 'transferFrom', [agent.address, attacker.address, 1n]);
    const theft = await signedOp(chain, attacker, singleCall(chain.usdc, take));
    expect((await handleOps(chain, theft)).outcome).toMatchObject({ success: false });
    expect((await gains()).agent).toEqual(nothing);
    const { charged, billed, rate } = await expectRuns(chain, attacker, userOp, 0n);
    expect(charged).toBeLessThanOrEqual(plain.charged!);
    expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
    expect(await nonce()).toBe(1n);
  });

  it('attack: another permit of the same nonce: the operation is refused at no cost, and stands', async () => {
    const userOp = await withPermit();
    await use(await signPermit(chain, agent, 1n), 1n);
    await expectRefused(chain, attacker, [userOp], unpaid);
    await use(await signPermit(chain, agent, value, { nonce: 1n }));
    await expectRuns(chain, attacker, userOp, 0n);
  });

  it('attack: the attacker pays for its own operation with the permit of the victim: it cannot', async () => {
    const poor = await delegatedAgent(chain);
    const signature = await signPermit(chain, agent, value);
    for (const isUsed of [false, true]) {
      if (isUsed) await use(signature);
      const userOp = await withData(permitData(chain, value, signature), poor);
      expect(await handleOpsRevert(chain, userOp)).toEqual(unpaid);
    }
  });

  it('attack: a permit used inside the bundle sets an allowance that only the paymaster can use', async () => {
    const args = [agent.address, paymaster, value, max, await signPermit(chain, agent, value)] as const;
    await approve(value);
    const userOp = await poke(chain, agent);
    const using = singleCall(chain.usdc, encode(localUsdcAbi, 'permit', args));
    const gains = await watch(chain, { agent: agent.address });
    const { outcomes } = await bundle(chain, operator, [await signedOp(chain, attacker, using), userOp]);
    expect(outcomes).toMatchObject([{ success: true }, { success: true }]);
    expect((await gains()).agent.usdc).toBe(-outcomes[1]!.charged!);
    expect([await allowance(), await allowance(attacker.address)]).toEqual([value, 0n]);
  });

  it('attack: a used permit brings no allowance back', async () => {
    const data = permitData(chain, value, await signPermit(chain, agent, value));
    await handleOps(chain, await withData(data));
    await approve(1n);
    expect(await handleOpsRevert(chain, await withData(data))).toEqual(unpaid);
    await approve(10_000_000n);
    expect((await handleOps(chain, await withData(data))).outcome).toMatchObject({ success: true });
    expect(await allowance()).toBeLessThan(10_000_000n);
  });

  it.each<[string, () => Promise<PackedUserOperation>]>([
    ['of a stranger', async () => withPermit(await chain.agent())],
    ['for another spender', () => withPermit(agent, { spender: operator.address })],
    ['of another nonce', () => withPermit(agent, { nonce: 1n })],
    [
      'of another value',
      async () => withData(permitData(chain, value + 1n, await signPermit(chain, agent, value))),
    ],
    ['without a signature', () => withData(permitData(chain, value, `0x${'00'.repeat(65)}`))],
  ])('attack: a permit %s is passed over: what counts is the allowance', async (_, make) => {
    const userOp = await make();
    expect(await handleOpsRevert(chain, userOp)).toEqual(unpaid);
    await approve(value);
    await expectRuns(chain, attacker, userOp, 0n);
    expect(await nonce()).toBe(0n);
  });

  it('error: a permit below the cost', async () => {
    const userOp = await withData(permitData(chain, 1n, await signPermit(chain, agent, 1n)));
    expect(await handleOpsRevert(chain, userOp)).toEqual(unpaid);
  });

  it('error: PaymasterDataMalformed for another length, mode or token, with an allowance too', async () => {
    await approve(value);
    const whole = permitData(chain, value, await signPermit(chain, agent, value));
    for (const data of [
      '0x00',
      slice(whole, 0, 117),
      concatHex([whole, '0x00']),
      concatHex(['0x01', slice(whole, 1)]),
      concatHex(['0x00', paymaster, slice(whole, 21)]),
      concatHex(['0x00', pad('0x', { size: 20 }), slice(whole, 21)]),
    ] as const) {
      const refusal = await handleOpsRevert(chain, await withData(data));
      expect(refusal).toEqual(['AA33 reverted', 'PaymasterDataMalformed']);
    }
    expect((await handleOps(chain, await withData(whole))).outcome).toMatchObject({ success: true });
  });

  it('error: a ceiling that is exceeded stops the permit too', async () => {
    const userOp = await withPermit();
    await undone(chain, async () => {
      await owned(chain, 'setOperationCeiling', [1n]);
      expect((await handleOpsRevert(chain, userOp))[1]).toBe('PaymasterCostAboveCeiling');
    });
  });

  it('attack: the permit cannot be left out of a signed operation, or put into one', async () => {
    const signed = await withPermit();
    const bare = usdcPaymasterAndData(200_000n);
    await approve(value);
    const without = await signUserOp(chain, agent, { ...signed, paymasterAndData: bare });
    for (const changed of [
      { ...signed, paymasterAndData: bare },
      { ...without, paymasterAndData: signed.paymasterAndData },
    ]) {
      expect(await handleOpsRevert(chain, changed)).toEqual(['AA24 signature error']);
    }
  });
});
