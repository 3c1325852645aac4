import { type Address, type Hex, type PrivateKeyAccount, concatHex, erc20Abi, keccak256, toHex } from 'viem';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  type PackedUserOperation,
  approvePaymasterHook,
  buildUserOp,
  configuredAgent,
  depositHook,
  executorCall,
  initializeCall,
  max,
  redeemHook,
  signUserOp,
  singleCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import { bundle, feeOf, operationNonce, usdcFor, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, localContracts, startTestChain } from '../support/chain.js';
import { poke } from '../support/paymaster.js';
import { handleOpsRevert } from '../support/reverts.js';

const { paymaster } = localContracts;
const amount = 100_000_000n;

describe('attack: operations of several wallets in one bundle', () => {
  let chain: TestChain;
  let vault: Address;
  let bundler: PrivateKeyAccount;
  let wallets: readonly PrivateKeyAccount[];
  beforeAll(async () => {
    chain = await startTestChain();
    bundler = await chain.agent();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
    wallets = await Promise.all([1, 2, 3].map(() => configuredAgent(chain)));
  });

  const sharesOf = ({ address }: PrivateKeyAccount) => chain.read(vault, erc20Abi, 'balanceOf', [address]);
  const allowanceOf = ({ address }: PrivateKeyAccount, spender: Address) =>
    chain.read(chain.usdc, erc20Abi, 'allowance', [address, spender]);
  const sign = async (
    wallet: PrivateKeyAccount,
    callData: Hex,
    overrides: Partial<PackedUserOperation> = {},
  ) => signUserOp(chain, wallet, await buildUserOp(chain, wallet.address, callData, overrides));
  const deposit = (wallet: PrivateKeyAccount, assets = amount, minShares = assets) =>
    sign(wallet, executorCall(depositHook(vault, chain.usdc, assets, minShares)));

  it('each wallet pays for its own operation and gets its own shares', async () => {
    const [first, second, third] = wallets as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount];
    const assets = [amount, 2n * amount, 3n * amount];
    const userOps = await Promise.all(wallets.map((wallet, index) => deposit(wallet, assets[index])));
    const gains = await watch(chain, {
      first: first.address,
      second: second.address,
      third: third.address,
      paymaster,
      bundler: bundler.address,
    });
    const { receipt, outcomes } = await bundle(chain, bundler, userOps);
    const after = await gains();

    let [charged, billed] = [0n, 0n];
    for (const [index, name] of (['first', 'second', 'third'] as const).entries()) {
      const outcome = outcomes[index]!;
      expect(outcome).toMatchObject({ sender: wallets[index]?.address, success: true });
      expect(after[name]).toEqual({ usdc: -assets[index]! - outcome.charged!, wei: 0n, deposit: 0n });
      expect(outcome.charged).toBeGreaterThanOrEqual(usdcFor(outcome.billed, outcome.rate!));
      expect(await sharesOf(wallets[index]!)).toBe(assets[index]);
      expect(await allowanceOf(wallets[index]!, vault)).toBe(1n);
      charged += outcome.charged!;
      billed += outcome.billed;
    }
    expect(after.paymaster).toEqual({ usdc: charged, wei: 0n, deposit: -billed });
    expect(after.bundler.wei).toBe(billed - feeOf(receipt));
  });

  it('an operation whose call fails costs the others nothing', async () => {
    const [first, failing, last] = wallets as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount];
    const userOps = [await deposit(first), await deposit(failing, amount, amount + 1n), await deposit(last)];
    const snapshot = await chain.node.snapshot();
    const alone = await bundle(chain, bundler, [userOps[0]!, userOps[2]!]);
    await chain.node.revert({ id: snapshot });

    const gains = await watch(chain, { failing: failing.address, last: last.address, paymaster });
    const { outcomes } = await bundle(chain, bundler, userOps);
    expect(outcomes.map(({ success }) => success)).toEqual([true, false, true]);
    const after = await gains();
    expect(after.failing.usdc).toBe(-outcomes[1]!.charged!);
    expect([await sharesOf(failing), await allowanceOf(failing, vault)]).toEqual([0n, 0n]);
    expect([await sharesOf(first), await sharesOf(last)]).toEqual([amount, amount]);
    // The memory of the entry point grows with the bundle: some gas of a hundred thousands.
    for (const [together, apart] of [
      [outcomes[0]!, alone.outcomes[0]!],
      [outcomes[2]!, alone.outcomes[1]!],
    ]) {
      expect(together!.charged! * 100n).toBeLessThan(apart!.charged! * 101n);
    }
    expect(after.paymaster.usdc).toBe(outcomes.reduce((sum, { charged }) => sum + charged!, 0n));
  });

  it.each([
    [
      'AA24 signature error',
      async (wallet: PrivateKeyAccount) => signUserOp(chain, bundler, await poke(chain, wallet)),
    ],
    [
      'AA25 invalid account nonce',
      (wallet: PrivateKeyAccount) =>
        poke(chain, wallet, { nonce: (BigInt(localContracts.validator) << 96n) + 1n }),
    ],
    [
      'AA33 reverted',
      (wallet: PrivateKeyAccount) => poke(chain, wallet, { preVerificationGas: 10_000_000n }),
    ],
    [
      'AA31 paymaster deposit too low',
      (wallet: PrivateKeyAccount) => poke(chain, wallet, { preVerificationGas: 10n ** 12n }),
    ],
    [
      'AA34 signature error',
      async (wallet: PrivateKeyAccount) => {
        await chain.write(chain.usdc, erc20Abi, 'approve', [paymaster, 0n], wallet);
        return poke(chain, wallet);
      },
    ],
  ])(
    'an operation that is refused (%s) stops the bundle, and nobody but the bundler pays',
    async (reason, make) => {
      const [first, refused, last] = wallets as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount];
      const userOps = [await deposit(first), await make(refused), await deposit(last)];
      expect((await handleOpsRevert(chain, ...userOps))[0]).toBe(reason);
      const gains = await watch(chain, {
        first: first.address,
        refused: refused.address,
        last: last.address,
        paymaster,
      });
      const { receipt } = await bundle(chain, bundler, userOps);
      expect(receipt.status).toBe('reverted');
      const nothing = { usdc: 0n, wei: 0n, deposit: 0n };
      expect(await gains()).toEqual({ first: nothing, refused: nothing, last: nothing, paymaster: nothing });

      // The others' operations stay good.
      const { outcomes } = await bundle(chain, bundler, [userOps[0]!, userOps[2]!]);
      expect(outcomes.map(({ success }) => success)).toEqual([true, true]);
    },
  );

  describe('an operation of the attacker before the operation of the victim', () => {
    let attacker: PrivateKeyAccount;
    let victim: PrivateKeyAccount;
    beforeEach(() => {
      [attacker, victim] = wallets as [PrivateKeyAccount, PrivateKeyAccount];
    });

    /** Bundle both; the victim's gain, and what the victim was charged. */
    async function runBoth(attack: Hex, userOp: PackedUserOperation) {
      const first = await sign(attacker, attack);
      const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
      const { outcomes } = await bundle(chain, bundler, [first, userOp]);
      return { outcomes, gains: await gains() };
    }

    it('reaches neither the assets nor the allowances of the victim', async () => {
      const steps = (): readonly (readonly [Address, Hex])[] => [
        [chain.usdc, encode(erc20Abi, 'transferFrom', [victim.address, attacker.address, 1n])],
        [victim.address, executorCall(approvePaymasterHook(0n))],
        [victim.address, initializeCall(chain.usdc, { paymaster: attacker.address, allowance: max })],
        [victim.address, singleCall(chain.usdc, encode(erc20Abi, 'approve', [attacker.address, max]))],
        [vault, encode(mockVaultAbi, 'deposit', [1n, attacker.address])],
      ];
      for (const [target, data] of steps()) {
        const userOp = await deposit(victim, 1_000_000n);
        const held = await sharesOf(victim);
        const { outcomes, gains } = await runBoth(singleCall(target, data), userOp);
        expect(outcomes.map(({ success }) => success)).toEqual([false, true]);
        expect(gains.attacker.usdc).toBe(-outcomes[0]!.charged!);
        expect(gains.victim.usdc).toBe(-1_000_000n - outcomes[1]!.charged!);
        expect((await sharesOf(victim)) - held).toBe(1_000_000n);
        expect(await allowanceOf(victim, attacker.address)).toBe(0n);
      }
    });

    it('leaves no lock to the victim, however the attacker leaves its own', async () => {
      // Stores one at the place of the lock, in transient storage.
      const code = concatHex(['0x6001', '0x7f', keccak256(toHex('yieldvault.executor.lock')), '0x5d']);
      const setter: Address = '0x00000000000000000000000000000000000c0de1';
      await chain.node.setCode({ address: setter, bytecode: code });
      const leaveLocked = encode(yieldVaultAccountAbi, 'execute', [`0xff${'00'.repeat(31)}`, setter]);
      const locking = await sign(attacker, leaveLocked);
      const own = await signUserOp(chain, attacker, {
        ...(await buildUserOp(chain, attacker.address, executorCall(approvePaymasterHook(5n)))),
        nonce: locking.nonce + 1n,
      });
      const userOp = await deposit(victim);
      const next = await signUserOp(chain, victim, { ...(await deposit(victim)), nonce: userOp.nonce + 1n });
      const { outcomes } = await bundle(chain, bundler, [locking, own, userOp, next]);
      expect(outcomes.map(({ success }) => success)).toEqual([true, false, true, true]);
      expect(await sharesOf(victim)).toBe(2n * amount);
    });

    it('moves the price of a share: the victim loses the gas alone, and the attacker gains nothing', async () => {
      const before = await deposit(attacker);
      await bundle(chain, bundler, [before]);
      const attack = encode(erc20Abi, 'transfer', [vault, amount / 10n]);
      const steal = await sign(attacker, singleCall(chain.usdc, attack));
      const redeem = await signUserOp(chain, attacker, {
        ...(await sign(attacker, executorCall(redeemHook(vault, chain.usdc, max, 1n)))),
        nonce: steal.nonce + 1n,
      });
      const userOp = await deposit(victim, amount, (amount * 995n) / 1_000n);
      const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
      const { outcomes } = await bundle(chain, bundler, [steal, userOp, redeem]);
      expect(outcomes.map(({ success }) => success)).toEqual([true, false, true]);
      const after = await gains();
      expect(after.victim.usdc).toBe(-outcomes[1]!.charged!);
      expect([await sharesOf(victim), await allowanceOf(victim, vault)]).toEqual([0n, 0n]);
      // What the attacker put in comes back at most.
      expect(after.attacker.usdc + outcomes[0]!.charged! + outcomes[2]!.charged!).toBeLessThanOrEqual(amount);
    });

    it('spends what it has after its validation: the paymaster has its prefund already', async () => {
      const gains = await watch(chain, { paymaster });
      const everything =
        (await chain.read(chain.usdc, erc20Abi, 'balanceOf', [attacker.address])) - 20_000_000n;
      const flee = singleCall(chain.usdc, encode(erc20Abi, 'transfer', [bundler.address, everything]));
      const userOp = await deposit(victim);
      const { outcomes } = await runBoth(flee, userOp);
      const after = await gains();
      expect(outcomes.map(({ success }) => success)).toEqual([true, true]);
      for (const { charged, billed, rate } of outcomes) {
        expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
      }
      expect(after.paymaster.usdc).toBe(outcomes[0]!.charged! + outcomes[1]!.charged!);
    });
  });

  it('two operations of one wallet: the second runs although the first failed', async () => {
    const [wallet] = wallets as [PrivateKeyAccount];
    const failing = await deposit(wallet, amount, amount + 1n);
    const next = await signUserOp(chain, wallet, { ...(await deposit(wallet)), nonce: failing.nonce + 1n });
    const gains = await watch(chain, { wallet: wallet.address });
    const { outcomes } = await bundle(chain, bundler, [failing, next]);
    expect(outcomes.map(({ success }) => success)).toEqual([false, true]);
    expect((await gains()).wallet.usdc).toBe(-amount - outcomes[0]!.charged! - outcomes[1]!.charged!);
    expect(await operationNonce(chain, next)).toBe(next.nonce + 1n);
    // In the wrong order neither runs.
    const [later, sooner] = [
      await signUserOp(chain, wallet, { ...(await poke(chain, wallet)), nonce: next.nonce + 2n }),
      await poke(chain, wallet, { paymasterAndData: usdcPaymasterAndData(130_000n) }),
    ];
    expect(await handleOpsRevert(chain, later, sooner)).toEqual(['AA25 invalid account nonce']);
  });
});
