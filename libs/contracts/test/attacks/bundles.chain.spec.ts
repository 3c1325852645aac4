import { type Address, type Hex, type PrivateKeyAccount, concatHex, keccak256, toHex } from 'viem';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import {
  type PackedUserOperation,
  allowanceOf,
  approveHook,
  balanceOf,
  configuredAgent,
  depositKeepOneHook,
  executorCall,
  granting,
  signUserOp,
  signedOp,
  transferCall,
} from '../support/account.js';
import { bundle, expectRefused, feeOf, nothing, usdcFor, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { localContracts, undone, useTestChain } from '../support/chain.js';
import { poke, usdcOf } from '../support/paymaster.js';
import { deployVault, placeCode } from '../support/vaults.js';

const { paymaster } = localContracts;
const amount = 100_000_000n;

describe('attack: operations of several wallets in one bundle', () => {
  const chain = useTestChain();
  let vault: Address;
  let bundler: PrivateKeyAccount;
  let wallets: [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount];
  beforeAll(async () => {
    bundler = await chain.agent();
  });
  beforeEach(async () => {
    vault = await deployVault(chain);
    wallets = [await configuredAgent(chain), await configuredAgent(chain), await configuredAgent(chain)];
  });

  const sharesOf = ({ address }: PrivateKeyAccount) => balanceOf(chain, vault, address);
  const deposit = (wallet: PrivateKeyAccount, assets = amount, minShares = assets) =>
    signedOp(chain, wallet, executorCall(depositKeepOneHook(vault, chain.usdc, assets, minShares)));
  /** Sign the operation for the nonce after its own. */
  const later = (wallet: PrivateKeyAccount, userOp: PackedUserOperation) =>
    signUserOp(chain, wallet, { ...userOp, nonce: userOp.nonce + 1n });
  const run = async (...userOps: readonly PackedUserOperation[]) => {
    const { receipt, outcomes } = await bundle(chain, bundler, userOps);
    return { receipt, outcomes, succeeded: outcomes.map(({ success }) => success) };
  };

  it('each wallet pays for its own operation and gets its own shares', async () => {
    const names = ['first', 'second', 'third'] as const;
    const [first, second, third] = wallets.map(({ address }) => address) as [Address, Address, Address];
    const assets = [amount, 2n * amount, 3n * amount];
    const userOps = await Promise.all(wallets.map((wallet, index) => deposit(wallet, assets[index])));
    const parties = { first, second, third, paymaster, bundler: bundler.address };
    const gains = await watch(chain, parties);
    const { receipt, outcomes } = await run(...userOps);
    const after = await gains();

    let [charged, billed] = [0n, 0n];
    for (const [index, outcome] of outcomes.entries()) {
      const wallet = wallets[index]!;
      expect(outcome).toMatchObject({ sender: wallet.address, success: true });
      expect(after[names[index]!]).toEqual({ ...nothing, usdc: -assets[index]! - outcome.charged! });
      expect(outcome.charged).toBeGreaterThanOrEqual(usdcFor(outcome.billed, outcome.rate!));
      expect(await sharesOf(wallet)).toBe(assets[index]);
      expect(await allowanceOf(chain, chain.usdc, wallet.address, vault)).toBe(1n);
      charged += outcome.charged!;
      billed += outcome.billed;
    }
    expect(after.paymaster).toEqual({ usdc: charged, wei: 0n, deposit: -billed });
    expect(after.bundler.wei).toBe(billed - feeOf(receipt));
  });

  it('an operation whose call fails costs the others nothing', async () => {
    const [first, failing, last] = wallets;
    const [before, after] = [await deposit(first), await deposit(last)];
    const alone = await undone(chain, () => run(before, after));

    const gains = await watch(chain, { failing: failing.address });
    const { outcomes, succeeded } = await run(before, await deposit(failing, amount, amount + 1n), after);
    expect(succeeded).toEqual([true, false, true]);
    expect((await gains()).failing.usdc).toBe(-outcomes[1]!.charged!);
    expect(await Promise.all(wallets.map(sharesOf))).toEqual([amount, 0n, amount]);
    // The memory of the entry point grows with the bundle: some gas of a hundred thousands.
    for (const [together, apart] of [
      [outcomes[0]!, alone.outcomes[0]!],
      [outcomes[2]!, alone.outcomes[1]!],
    ] as const) {
      expect(together.charged! * 100n).toBeLessThan(apart.charged! * 101n);
    }
  });

  it.each<[string, (wallet: PrivateKeyAccount) => Promise<PackedUserOperation>]>([
    ['AA24 signature error', async (wallet) => signUserOp(chain, bundler, await poke(chain, wallet))],
    ['AA33 reverted', (wallet) => poke(chain, wallet, { preVerificationGas: 10_000_000n })],
    ['AA34 signature error', (wallet) => poke(chain, wallet, granting(1n))],
  ])(
    'an operation that is refused (%s) stops the bundle, and nobody but the bundler pays',
    async (reason, make) => {
      const [first, refused, last] = wallets;
      const [before, after] = [await deposit(first), await deposit(last)];
      await expectRefused(chain, bundler, [before, await make(refused), after], [reason]);
      // The others' operations stay good.
      expect((await run(before, after)).succeeded).toEqual([true, true]);
    },
  );

  it('an attacker that leaves its own lock set leaves none to the victim', async () => {
    const [attacker, victim] = wallets;
    // Stores one at the place of the lock, in transient storage.
    const setter = await placeCode(
      chain,
      concatHex(['0x6001', '0x7f', keccak256(toHex('yieldvault.executor.lock')), '0x5d']),
    );
    const byDelegateCall: Hex = `0xff${'00'.repeat(31)}`;
    const leaveLocked = encode(yieldVaultAccountAbi, 'execute', [byDelegateCall, setter]);
    const locking = await signedOp(chain, attacker, leaveLocked);
    const hooks = executorCall(approveHook(bundler.address, chain.usdc, 5n));
    const own = await later(attacker, { ...locking, callData: hooks });
    const userOp = await deposit(victim);
    const { succeeded } = await run(locking, own, userOp, await later(victim, userOp));
    expect(succeeded).toEqual([true, false, true, true]);
    expect(await sharesOf(victim)).toBe(2n * amount);
  });

  it('an attacker spends what it has after its validation: the paymaster has its prefund already', async () => {
    const [attacker, victim] = wallets;
    const everything = (await usdcOf(chain, attacker.address)) - 20_000_000n;
    const flee = await signedOp(chain, attacker, transferCall(chain, bundler.address, everything));
    const gains = await watch(chain, { paymaster });
    const { outcomes, succeeded } = await run(flee, await deposit(victim));
    expect(succeeded).toEqual([true, true]);
    for (const { charged, billed, rate } of outcomes) {
      expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
    }
    expect((await gains()).paymaster.usdc).toBe(outcomes[0]!.charged! + outcomes[1]!.charged!);
  });

  it('two operations of one wallet: the second runs although the first failed, and neither in the wrong order', async () => {
    const [wallet] = wallets;
    const failing = await deposit(wallet, amount, amount + 1n);
    const next = await later(wallet, { ...(await deposit(wallet)), nonce: failing.nonce });
    await expectRefused(chain, bundler, [next, failing], ['AA25 invalid account nonce']);
    const gains = await watch(chain, { wallet: wallet.address });
    const { outcomes, succeeded } = await run(failing, next);
    expect(succeeded).toEqual([false, true]);
    expect((await gains()).wallet.usdc).toBe(-amount - outcomes[0]!.charged! - outcomes[1]!.charged!);
  });
});
