import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  numberToHex,
  parseEther,
  parseEventLogs,
  slice,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { askingPaymasterAbi, askingPaymasterBytecode } from '../generated/AskingPaymaster.js';
import { askingTokenAbi, askingTokenBytecode } from '../generated/AskingToken.js';
import {
  type PackedUserOperation,
  balanceOf,
  configuredAgent,
  farFuture,
  grantOf,
  packSignature,
  pair,
  signUserOp,
  signedOp,
  singleCall,
} from '../support/account.js';
import { bundle, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, onBase, useTestChain } from '../support/chain.js';
import { decodeRevert, handleOpsRevert, revertOf } from '../support/reverts.js';

const maximum = 5_000_000n;
const granted = grantOf(onBase.usdc, maximum);
const paid = 'paid';
const refusedAt = (grant: bigint, amount: bigint) => ['GasPaymentRefused', grant, amount];

describe('attack: a paymaster and the grant in a signed operation', () => {
  const chain = useTestChain();
  let bundler: PrivateKeyAccount;
  let owner: PrivateKeyAccount;
  /** The paymaster that operations name, and one more. */
  let named: Address;
  let other: Address;
  beforeAll(async () => {
    bundler = await chain.agent();
    const deploy = async () => {
      const paymaster = await chain.deploy(askingPaymasterAbi, askingPaymasterBytecode);
      const deposit = encode(entryPointV08Abi, 'depositTo', [paymaster]);
      await chain.mined(
        chain.wallet.sendTransaction({ to: entryPoint, data: deposit, value: parseEther('1') }),
      );
      return paymaster;
    };
    [named, other] = [await deploy(), await deploy()];
  });
  beforeEach(async () => {
    owner = await configuredAgent(chain);
    await plan();
    await plan([], [], other);
  });

  const withData = (data: Hex, paymaster = named): Pick<PackedUserOperation, 'paymasterAndData'> => ({
    paymasterAndData: concatHex([paymaster, pair(200_000n, 200_000n), data]),
  });
  const operation = (callData: Hex = '0x', data = granted, paymaster = named) =>
    signedOp(chain, owner, callData, withData(data, paymaster));
  /** What a paymaster asks the owner's account for: amounts in its validation, and in its postOp. */
  const plan = (
    inValidation: readonly bigint[] = [],
    inPostOp: readonly bigint[] = [],
    paymaster = named,
    account = owner,
  ) => {
    const asks = (amounts: readonly bigint[]) =>
      amounts.map((amount) => ({ account: account.address, amount }));
    return chain.write(paymaster, askingPaymasterAbi, 'plan', [asks(inValidation), asks(inPostOp)]);
  };
  const askData = (amount: bigint) => encode(askingPaymasterAbi, 'ask', [owner.address, amount]);
  const answersIn = (logs: Awaited<ReturnType<typeof bundle>>['receipt']['logs']) =>
    parseEventLogs({ abi: askingPaymasterAbi, logs, eventName: 'Asked' }).map(({ args: { reason } }) =>
      reason === '0x' ? paid : decodeRevert(reason),
    );
  /** Run operations. @returns how the account answered, in order, and what it paid */
  async function run(...userOps: readonly PackedUserOperation[]) {
    const gains = await watch(chain, { owner: owner.address });
    const { receipt } = await bundle(chain, bundler, userOps);
    expect(receipt.status).toBe('success');
    return { answers: answersIn(receipt.logs), cost: -(await gains()).owner.usdc };
  }

  it('default: the named paymaster gets up to the maximum, once', async () => {
    await plan([maximum], [1n]);
    expect(await run(await operation())).toEqual({ answers: [paid, refusedAt(0n, 1n)], cost: maximum });
  });

  it('a second ask in validation, of the rest too', async () => {
    await plan([1n, maximum - 1n]);
    expect(await run(await operation())).toEqual({ answers: [paid, refusedAt(0n, maximum - 1n)], cost: 1n });
  });

  it('one unit too much: the refusal leaves the grant', async () => {
    await plan([maximum + 1n, 2n ** 96n, 7n]);
    const answers = [refusedAt(maximum, maximum + 1n), refusedAt(maximum, 2n ** 96n), paid];
    expect(await run(await operation())).toEqual({ answers, cost: 7n });
  });

  it('another paymaster in the same bundle, and a stranger that the call of the operation reaches', async () => {
    const neighbour = await configuredAgent(chain);
    const theirs = await signedOp(chain, neighbour, '0x', withData(granted, other));
    await plan([1n], [2n], other);
    const ours = await operation(singleCall(other, askData(3n)));
    const answers = [1n, 3n, 2n].map((amount) => refusedAt(0n, amount));
    expect(await run(ours, theirs)).toEqual({ answers, cost: 0n });
    // Nor the account itself, or its bundler.
    const ask = encode(yieldVaultAccountAbi, 'payForGas', [1n]);
    for (const from of [owner.address, bundler.address, entryPoint]) {
      expect(await revertOf(chain, { from, to: owner.address, data: ask })).toEqual(refusedAt(0n, 1n));
    }
  });

  it('across accounts: for the operation of one it asks another', async () => {
    const victim = await configuredAgent(chain);
    await plan([1n], [1n], named, victim);
    const gains = await watch(chain, { victim: victim.address });
    expect((await run(await operation())).answers).toEqual([refusedAt(0n, 1n), refusedAt(0n, 1n)]);
    expect((await gains()).victim.usdc).toBe(0n);
  });

  it('a paymaster that skips its validation takes the maximum once within the transaction, and nothing in the next', async () => {
    await plan([], [maximum, 1n]);
    const reached = singleCall(named, askData(maximum + 1n));
    expect(await run(await operation(reached))).toEqual({
      answers: [refusedAt(maximum, maximum + 1n), paid, refusedAt(0n, 1n)],
      cost: maximum,
    });
    await plan();
    expect((await run(await operation())).cost).toBe(0n);
    const { logs } = await chain.write(named, askingPaymasterAbi, 'ask', [owner.address, 1n]);
    expect(answersIn(logs)).toEqual([refusedAt(0n, 1n)]);
  });

  it('two operations of one account: the later grant replaces the earlier, and each pays for itself', async () => {
    const first = await operation();
    const second = await signUserOp(chain, owner, {
      ...first,
      nonce: first.nonce + 1n,
      ...withData(grantOf(chain.usdc, 3n)),
    });
    await plan([], [maximum, 3n]);
    // Neither was asked in validation.
    expect(await run(first, second)).toEqual({
      answers: [refusedAt(3n, maximum), paid, refusedAt(0n, maximum), refusedAt(0n, 3n)],
      cost: 3n,
    });
    const [third, fourth] = [await operation(), await operation()];
    await plan([maximum]);
    const next = await signUserOp(chain, owner, { ...fourth, nonce: third.nonce + 1n });
    expect(await run(third, next)).toEqual({ answers: [paid, paid], cost: 2n * maximum });
  });

  it('a signature that the validator does not accept: nothing is granted, whatever the data says', async () => {
    await plan([1n]);
    await chain.write(named, askingPaymasterAbi, 'insist', [true]);
    const signed = await operation();
    for (const userOp of [
      await signUserOp(chain, bundler, signed),
      { ...signed, signature: packSignature(farFuture, 0, `0x${'00'.repeat(65)}`) },
      await signUserOp(chain, owner, signed, { expiry: 0 }),
    ]) {
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA33 reverted', ...refusedAt(0n, 1n)]);
    }
    expect((await run(signed)).cost).toBe(1n);
    await chain.write(named, askingPaymasterAbi, 'insist', [false]);
  });

  it.each<[string, Hex]>([
    ['another mark', concatHex(['0x00000001', slice(granted, 4)])],
    ['one byte less', slice(granted, 0, 35)],
    ['one byte more', concatHex([granted, '0x00'])],
    [
      "the permit of Circle's paymaster",
      concatHex(['0x00', onBase.usdc, numberToHex(maximum, { size: 32 }), `0x${'11'.repeat(65)}`]),
    ],
    ['nothing', '0x'],
  ])('%s is no grant', async (_, data) => {
    await plan([1n], [1n]);
    const { answers, cost } = await run(await operation('0x', data));
    expect([answers, cost]).toEqual([[refusedAt(0n, 1n), refusedAt(0n, 1n)], 0n]);
  });

  it('a token that lets the paymaster ask again while it is paid', async () => {
    const token = await chain.deploy(askingTokenAbi, askingTokenBytecode);
    await chain.write(token, askingTokenAbi, 'mint', [owner.address, 2n * maximum]);
    await plan([maximum]);
    const { answers, cost } = await run(await operation('0x', grantOf(token, maximum)));
    expect([answers, cost]).toEqual([[refusedAt(0n, 1n), paid], 0n]);
    expect(await balanceOf(chain, token, named)).toBe(maximum);
  });
});
