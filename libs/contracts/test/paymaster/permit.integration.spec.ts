import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  erc20Abi,
  pad,
  parseEventLogs,
  slice,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import {
  approvePaymasterHook,
  delegate,
  executorCall,
  handleOps,
  hashUserOp,
  max,
  signUserOp,
  usdcPaymasterAndData,
} from '../support/account.js';
import { type TestChain, localContracts, operator, startTestChain } from '../support/chain.js';
import { sendFirstOperation } from '../support/first-operation.js';
import { owned, permitData, poke, signPermit, usdcOf } from '../support/paymaster.js';
import { handleOpsRevert } from '../support/reverts.js';

const { paymaster } = localContracts;
const value = 20_000_000n;
const unpaid = ['AA34 signature error'];

describe('UsdcPaymaster: permit in the data of the paymaster', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());
  // Delegated, with USDC and without an allowance.
  beforeEach(async () => {
    agent = await chain.agent();
    await delegate(chain, agent, '0x');
    await chain.setUsdc(agent.address, 1_000_000_000n);
  });

  const allowance = () => chain.read(chain.usdc, erc20Abi, 'allowance', [agent.address, paymaster]);
  const nonce = () => chain.read(chain.usdc, localUsdcAbi, 'nonces', [agent.address]);
  const withData = (data: Hex) =>
    poke(chain, agent, { paymasterAndData: concatHex([usdcPaymasterAndData(200_000n), data]) });
  const withPermit = async (signer = agent, overrides: Parameters<typeof signPermit>[3] = {}) =>
    withData(permitData(chain, value, await signPermit(chain, signer, value, overrides)));
  const approve = (amount: bigint) =>
    chain.write(chain.usdc, erc20Abi, 'approve', [paymaster, amount], agent);
  const permitAs = (from: PrivateKeyAccount, signature: Hex) =>
    chain.write(chain.usdc, localUsdcAbi, 'permit', [agent.address, paymaster, value, max, signature], from);

  it('default: sets the allowance, from which the operation pays', async () => {
    const before = await usdcOf(chain, agent.address);
    const { outcome, receipt } = await handleOps(chain, await withPermit());
    expect(outcome).toMatchObject({ success: true });
    const [pulled] = parseEventLogs({ abi: erc20Abi, logs: receipt.logs, eventName: 'Transfer' });
    expect(await allowance()).toBe(value - (pulled?.args.value ?? 0n));
    expect(await usdcOf(chain, agent.address)).toBeLessThan(before);
    expect(await nonce()).toBe(1n);
  });

  it('behavior: the first operation of a wallet without ether delegates too', async () => {
    agent = privateKeyToAccount(generatePrivateKey());
    await chain.setUsdc(agent.address, 1_000_000_000n);
    const callData = executorCall(approvePaymasterHook(9n));
    const { receipt, userOp, hash } = await sendFirstOperation(chain, agent, callData, value);
    expect(receipt.status).toBe('success');
    const [ended] = parseEventLogs({
      abi: entryPointV08Abi,
      logs: receipt.logs,
      eventName: 'UserOperationEvent',
    });
    expect(ended?.args).toMatchObject({ sender: agent.address, success: true });
    expect(await allowance()).toBe(9n);
    expect(await chain.client.getBalance(agent)).toBe(0n);
    // The delegation stands: the account hashes its next operation itself.
    expect(await hashUserOp(chain, { ...userOp, initCode: '0x' })).not.toBe(hash);
  });

  it('attack: somebody used the permit before, and the operation runs all the same', async () => {
    const signature = await signPermit(chain, agent, value);
    const userOp = await withData(permitData(chain, value, signature));
    expect((await permitAs(operator, signature)).status).toBe('success');
    expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
    expect(await nonce()).toBe(1n);
  });

  it('attack: a used permit brings no allowance back', async () => {
    const signature = await signPermit(chain, agent, value);
    await handleOps(chain, await withData(permitData(chain, value, signature)));
    await approve(1n);
    expect(await handleOpsRevert(chain, await withData(permitData(chain, value, signature)))).toEqual(unpaid);
    await approve(10_000_000n);
    const { outcome } = await handleOps(chain, await withData(permitData(chain, value, signature)));
    expect(outcome).toMatchObject({ success: true });
    expect(await allowance()).toBeLessThan(10_000_000n);
  });

  it('attack: a wrong permit is passed over: what counts is the allowance', async () => {
    const stranger = await chain.agent();
    const wrong = async () => [
      await withPermit(stranger),
      await withPermit(agent, { spender: operator.address as Address }),
      await withPermit(agent, { nonce: 1n }),
      await withData(permitData(chain, value + 1n, await signPermit(chain, agent, value))),
      await withData(permitData(chain, value, `0x${'00'.repeat(65)}`)),
    ];
    for (const userOp of await wrong()) expect(await handleOpsRevert(chain, userOp)).toEqual(unpaid);
    expect([await allowance(), await nonce()]).toEqual([0n, 0n]);
    for (let index = 0; index < 5; index++) {
      await approve(value);
      const userOp = (await wrong())[index] ?? (await withPermit(stranger));
      expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
      expect(await nonce()).toBe(0n);
    }
  });

  it('error: a permit below the cost', async () => {
    const userOp = await withData(permitData(chain, 1n, await signPermit(chain, agent, 1n)));
    expect(await handleOpsRevert(chain, userOp)).toEqual(unpaid);
  });

  it('error: PaymasterDataMalformed for another length, mode or token, with an allowance too', async () => {
    await approve(value);
    const whole = permitData(chain, value, await signPermit(chain, agent, value));
    const malformed: readonly Hex[] = [
      '0x00',
      slice(whole, 0, 117),
      concatHex([whole, '0x00']),
      concatHex(['0x01', slice(whole, 1)]),
      concatHex(['0xff', slice(whole, 1)]),
      concatHex(['0x00', paymaster, slice(whole, 21)]),
      concatHex(['0x00', pad('0x', { size: 20 }), slice(whole, 21)]),
    ];
    for (const data of malformed) {
      expect(await handleOpsRevert(chain, await withData(data))).toEqual([
        'AA33 reverted',
        'PaymasterDataMalformed',
      ]);
    }
    expect((await handleOps(chain, await withData(whole))).outcome).toMatchObject({ success: true });
  });

  it('error: a ceiling that is exceeded stops the permit too', async () => {
    const userOp = await withPermit();
    const before = await chain.node.snapshot();
    await owned(chain, 'setOperationCeiling', [1n]);
    expect(await handleOpsRevert(chain, userOp)).toMatchObject({ 1: 'PaymasterCostAboveCeiling' });
    await chain.node.revert({ id: before });
  });

  it('attack: the permit cannot be left out of a signed operation, or put into one', async () => {
    const signed = await withPermit();
    const bare = usdcPaymasterAndData(200_000n);
    await approve(value);
    const error = ['AA24 signature error'];
    expect(await handleOpsRevert(chain, { ...signed, paymasterAndData: bare })).toEqual(error);
    const without = await signUserOp(chain, agent, { ...signed, paymasterAndData: bare });
    const { paymasterAndData } = signed;
    expect(await handleOpsRevert(chain, { ...without, paymasterAndData })).toEqual(error);
  });
});
