import { type Address, type Hex, type PrivateKeyAccount, type TransactionReceipt } from 'viem';
import { yieldExecutorAbi } from '../../src/generated/YieldExecutor.js';
import { delegatorAbi, delegatorBytecode } from '../generated/Delegator.js';
import {
  type PackedUserOperation,
  balanceOf,
  configuredAgent,
  depositHook,
  executorCall,
  signUserOp,
  signedOp,
  singleCall,
} from '../support/account.js';
import { bundle, expectRuns, feeOf, handleOpsCall, nothing, outcomesOf, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, undone, useTestChain } from '../support/chain.js';
import { runHooks, sendToSelf } from '../support/modules.js';
import { deployHostileVault, deployVault, letCall } from '../support/vaults.js';

const amount = 100_000_000n;

describe('attack: handleOps from within an execution', () => {
  const chain = useTestChain();
  let vault: Address;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  let userOp: PackedUserOperation;
  beforeAll(async () => {
    vault = await deployVault(chain);
  });
  beforeEach(async () => {
    attacker = await configuredAgent(chain);
    victim = await configuredAgent(chain);
    userOp = await deposit(vault);
  });

  const depositInto = (into: Address) => depositHook(into, chain.usdc, amount, amount);
  const deposit = (into: Address) => signedOp(chain, victim, executorCall(depositInto(into)));
  const submission = (submitted = userOp) => handleOpsCall(attacker.address, submitted);
  /** A vault that mints what it takes, and submits an operation in the middle of a deposit. */
  const submitting = (data: Hex = submission()) =>
    deployHostileVault(chain, chain.usdc, { given: amount, calls: [entryPoint, data] });

  const ways: readonly (readonly [string, () => Promise<TransactionReceipt>])[] = [
    ['execute', () => sendToSelf(chain, attacker, singleCall(entryPoint, submission()))],
    ['hooks', async () => runHooks(chain, attacker, depositInto(await submitting()))],
    [
      'a contract that runs the code of the executor as its own',
      async () => {
        const delegator = await chain.deploy(delegatorAbi, delegatorBytecode);
        await chain.setUsdc(delegator, amount + 1n);
        const run = encode(yieldExecutorAbi, 'runHooks', [depositInto(await submitting())]);
        const args = [localContracts.executor, run];
        return chain.write(delegator, delegatorAbi, 'run', args, attacker);
      },
    ],
  ];

  it.each(ways)(
    'in %s of the attacker: the victim gets what it signed, at the price of a bundle',
    async (_, attack) => {
      const plain = await undone(chain, () => expectRuns(chain, attacker, userOp, amount));

      const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
      const receipt = await attack();
      const after = await gains();
      const outcome = outcomesOf(receipt)[0]!;
      expect(outcome).toMatchObject({ sender: victim.address, success: true });
      expect(await balanceOf(chain, vault, victim.address)).toBe(amount);
      expect(after.victim).toEqual({ ...nothing, usdc: -amount - outcome.charged! });
      // What was touched before in the transaction is cheaper; nothing is dearer.
      expect(outcome.charged).toBeLessThanOrEqual(plain.charged!);
      // The attacker has the fee of a bundler and the cost of one.
      expect(after.attacker.wei).toBe(outcome.billed - feeOf(receipt));
    },
  );

  it('in an operation of the attacker: the entry point refuses, and the attacker alone pays', async () => {
    const nested = await signedOp(chain, attacker, singleCall(entryPoint, submission()));
    const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
    const { outcomes } = await bundle(chain, await chain.agent(), [nested]);
    expect(outcomes).toMatchObject([{ sender: attacker.address, success: false }]);
    expect(await gains()).toMatchObject({ victim: nothing, attacker: { usdc: -outcomes[0]!.charged! } });
    await expectRuns(chain, attacker, userOp, amount);
  });

  it('in an operation of the victim, by its vault: of the same operation, or of the next, which stands', async () => {
    const hostile = await submitting('0x');
    const first = await deposit(hostile);
    const next = await signUserOp(chain, victim, { ...userOp, nonce: userOp.nonce + 1n });
    for (const submitted of [first, next]) {
      await letCall(chain, hostile, entryPoint, submission(submitted));
      const attempt = async () => {
        const gains = await watch(chain, { victim: victim.address, hostile });
        const { outcomes } = await bundle(chain, attacker, [first]);
        expect(outcomes).toMatchObject([{ success: false }]);
        const victimLoses = { victim: { usdc: -outcomes[0]!.charged! }, hostile: { usdc: 0n } };
        expect(await gains()).toMatchObject(victimLoses);
      };
      await (submitted === first ? undone(chain, attempt) : attempt());
    }
    await expectRuns(chain, attacker, next, amount);
  });
});
