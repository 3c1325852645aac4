import { type Address, type Hex, type PrivateKeyAccount, erc20Abi } from 'viem';
import { yieldExecutorAbi } from '../../src/generated/YieldExecutor.js';
import { delegatorAbi, delegatorBytecode } from '../generated/Delegator.js';
import { hostileVaultAbi, hostileVaultBytecode } from '../generated/HostileVault.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  type PackedUserOperation,
  buildUserOp,
  configuredAgent,
  depositHook,
  executorCall,
  signUserOp,
  singleCall,
} from '../support/account.js';
import { bundle, feeOf, handleOpsCall, operationNonce, outcomesOf, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, entryPoint, localContracts, startTestChain } from '../support/chain.js';
import { sendToSelf } from '../support/modules.js';

const amount = 100_000_000n;

describe('attack: handleOps from within an execution', () => {
  let chain: TestChain;
  let vault: Address;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  let userOp: PackedUserOperation;
  beforeAll(async () => {
    chain = await startTestChain();
    vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    attacker = await configuredAgent(chain);
    victim = await configuredAgent(chain);
    userOp = await deposit(vault);
  });

  const sign = async (wallet: PrivateKeyAccount, callData: Hex) =>
    signUserOp(chain, wallet, await buildUserOp(chain, wallet.address, callData));
  const deposit = (into: Address) =>
    sign(victim, executorCall(depositHook(into, chain.usdc, amount, amount)));
  const shares = (of = vault) => chain.read(of, erc20Abi, 'balanceOf', [victim.address]);
  const submission = (...userOps: readonly PackedUserOperation[]) =>
    handleOpsCall(attacker.address, ...userOps);
  /** A vault that mints what it takes, and calls the entry point with `data` in the middle of a deposit. */
  async function submitting(data: Hex): Promise<Address> {
    const hostile = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [chain.usdc]);
    await chain.write(hostile, hostileVaultAbi, 'behave', [amount, amount, 100n]);
    await chain.write(hostile, hostileVaultAbi, 'callBack', [entryPoint, data]);
    return hostile;
  }

  /** The signed operation stands, and runs when a bundler sends it. */
  async function expectStillGood() {
    expect(await operationNonce(chain, userOp)).toBe(userOp.nonce);
    const { outcomes } = await bundle(chain, attacker, [userOp]);
    expect(outcomes).toMatchObject([{ sender: victim.address, success: true }]);
    expect(await shares()).toBe(amount);
  }

  describe('in a transaction of the attacker: the victim gets what it signed, at the price of a bundle', () => {
    type Sent = Awaited<ReturnType<typeof sendToSelf>>;
    const ways: readonly (readonly [string, () => Promise<Sent>])[] = [
      ['in execute', () => sendToSelf(chain, attacker, singleCall(entryPoint, submission(userOp)))],
      [
        'in hooks of the attacker',
        async () => {
          const hostile = await submitting(submission(userOp));
          const call = executorCall(depositHook(hostile, chain.usdc, amount, amount));
          return sendToSelf(chain, attacker, call);
        },
      ],
      [
        'in a contract that runs the code of the executor as its own',
        async () => {
          const delegator = await chain.deploy(delegatorAbi, delegatorBytecode);
          await chain.setUsdc(delegator, amount + 1n);
          const hostile = await submitting(submission(userOp));
          const hooks = depositHook(hostile, chain.usdc, amount, amount);
          const run = encode(yieldExecutorAbi, 'runHooks', [hooks]);
          return chain.mined(
            chain.walletOf(attacker).sendTransaction({
              to: delegator,
              data: encode(delegatorAbi, 'run', [localContracts.executor, run]),
              gas: 1_000_000n,
            }),
          );
        },
      ],
    ];

    it.each(ways)('%s', async (_, attack) => {
      const snapshot = await chain.node.snapshot();
      const plain = (await bundle(chain, attacker, [userOp])).outcomes[0]!;
      await chain.node.revert({ id: snapshot });

      const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
      const receipt = await attack();
      const after = await gains();
      const [outcome] = outcomesOf(receipt);
      expect(outcome).toMatchObject({ sender: victim.address, success: true });
      expect(await shares()).toBe(amount);
      expect(after.victim).toEqual({ usdc: -amount - outcome!.charged!, wei: 0n, deposit: 0n });
      // What was touched before in the transaction is cheaper; nothing is dearer.
      expect(outcome!.charged).toBeLessThanOrEqual(plain.charged!);
      // The attacker has the fee of a bundler and the cost of one.
      expect(after.attacker.wei).toBe(outcome!.billed - feeOf(receipt));
    });
  });

  it('in an operation of the attacker: the entry point refuses, and the attacker alone pays', async () => {
    const nested = await sign(attacker, singleCall(entryPoint, submission(userOp)));
    const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
    const { outcomes } = await bundle(chain, await chain.agent(), [nested]);
    expect(outcomes).toMatchObject([{ sender: attacker.address, success: false }]);
    const after = await gains();
    expect(after.victim).toEqual({ usdc: 0n, wei: 0n, deposit: 0n });
    expect(after.attacker.usdc).toBe(-outcomes[0]!.charged!);
    await expectStillGood();
  });

  it('in an operation of the victim, by its vault: the next one that it signed stands', async () => {
    const next = await signUserOp(chain, victim, { ...userOp, nonce: userOp.nonce + 1n });
    const hostile = await submitting(submission(next));
    const first = await deposit(hostile);
    const gains = await watch(chain, { victim: victim.address, hostile });
    const { outcomes } = await bundle(chain, attacker, [first]);
    expect(outcomes).toMatchObject([{ success: false }]);
    const after = await gains();
    expect(after).toMatchObject({ victim: { usdc: -outcomes[0]!.charged! }, hostile: { usdc: 0n } });
    expect(await shares(hostile)).toBe(0n);
    userOp = next;
    await expectStillGood();
  });

  it('of one operation twice in a bundle, or again in its own execution: it runs once', async () => {
    const { receipt } = await bundle(chain, attacker, [userOp, userOp]);
    expect(receipt.status).toBe('reverted');
    // An operation cannot hold itself; the next best is a vault that sends the bundle again.
    const hostile = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [chain.usdc]);
    await chain.write(hostile, hostileVaultAbi, 'behave', [amount, amount, 100n]);
    const own = await deposit(hostile);
    await chain.write(hostile, hostileVaultAbi, 'callBack', [entryPoint, submission(own)]);
    const gains = await watch(chain, { victim: victim.address });
    const { outcomes } = await bundle(chain, attacker, [own]);
    expect(outcomes).toMatchObject([{ success: false }]);
    expect((await gains()).victim.usdc).toBe(-outcomes[0]!.charged!);
  });
});
