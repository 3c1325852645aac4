import { type Address, type PrivateKeyAccount, erc20Abi, getAddress } from 'viem';
import { entryPointV08Abi, entryPointV08Bytecode } from '../../src/generated/EntryPointV08.js';
import { yieldVaultAccountAbi, yieldVaultAccountBytecode } from '../../src/generated/YieldVaultAccount.js';
import {
  type PackedUserOperation,
  buildUserOp,
  configuredAgent,
  delegate,
  hashUserOp,
  leafOf,
  farFuture,
  signHash,
  signUserOp,
  singleCall,
} from '../support/account.js';
import { bundle, handleOpsCall, outcomesOf, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, entryPoint, localContracts, startTestChain } from '../support/chain.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

const { paymaster, validator, executor, account } = localContracts;
const sum = 10_000_000n;
const nothing = { usdc: 0n, wei: 0n, deposit: 0n };

// Replay on another chain, another validator, after incrementNonce: test/validator.
describe('attack: a signed operation runs again', () => {
  let chain: TestChain;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
    attacker = await chain.agent();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    victim = await configuredAgent(chain);
  });

  /** Pays the attacker, so that every run counts. */
  const payment = (sender: Address = victim.address, overrides: Partial<PackedUserOperation> = {}) =>
    buildUserOp(
      chain,
      sender,
      singleCall(chain.usdc, encode(erc20Abi, 'transfer', [attacker.address, sum])),
      overrides,
    );
  async function expectRefused(userOps: readonly PackedUserOperation[], reason: readonly unknown[]) {
    const gains = await watch(chain, { attacker: attacker.address, victim: victim.address, paymaster });
    expect(await handleOpsRevert(chain, ...userOps)).toEqual(reason);
    expect((await bundle(chain, attacker, userOps)).receipt.status).toBe('reverted');
    expect(await gains()).toMatchObject({ attacker: { usdc: 0n }, victim: nothing, paymaster: nothing });
  }
  async function expectPaid(userOp: PackedUserOperation) {
    const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
    const { outcomes } = await bundle(chain, attacker, [userOp]);
    expect(outcomes).toMatchObject([{ sender: userOp.sender, success: true }]);
    expect((await gains()).attacker.usdc).toBe(sum);
  }

  it('in the same bundle, and later', async () => {
    const userOp = await signUserOp(chain, victim, await payment());
    await expectRefused([userOp, userOp], ['AA25 invalid account nonce']);
    await expectPaid(userOp);
    await expectRefused([userOp], ['AA25 invalid account nonce']);
  });

  it('as another of the same nonce: one of the two runs', async () => {
    const userOps = [
      await signUserOp(chain, victim, await payment()),
      await signUserOp(chain, victim, await payment(victim.address, { preVerificationGas: 70_000n })),
    ];
    await expectRefused(userOps, ['AA25 invalid account nonce']);
    await expectPaid(userOps[1]!);
    await expectRefused([userOps[0]!], ['AA25 invalid account nonce']);
  });

  it('as a leaf of a tree: each once', async () => {
    const first = await payment();
    const second = { ...first, nonce: first.nonce + 1n };
    const [one, two] = [await hashUserOp(chain, first), await hashUserOp(chain, second)];
    const signed = [
      { ...first, signature: await signHash(chain, victim, one, { proof: [leafOf(two, farFuture, 0)] }) },
      { ...second, signature: await signHash(chain, victim, two, { proof: [leafOf(one, farFuture, 0)] }) },
    ];
    await expectPaid(signed[0]!);
    await expectRefused([signed[0]!], ['AA25 invalid account nonce']);
    await expectPaid(signed[1]!);
    await expectRefused(signed, ['AA25 invalid account nonce']);
    // The signature of one is none for the other.
    const third = { ...second, nonce: second.nonce + 1n, signature: signed[1]!.signature };
    await expectRefused([third], ['AA24 signature error']);
  });

  it('for another wallet of the same owner, whose keys differ', async () => {
    const other = await configuredAgent(chain);
    const userOp = await signUserOp(chain, victim, await payment());
    await expectRefused([{ ...userOp, sender: other.address }], ['AA24 signature error']);
    // A tree that the one key signed holds for none of the other's leaves.
    const foreign = await payment(other.address);
    const own = await hashUserOp(chain, userOp);
    const hash = await hashUserOp(chain, foreign);
    const signature = await signHash(chain, victim, hash, { proof: [leafOf(own, farFuture, 0)] });
    await expectRefused([{ ...foreign, signature }], ['AA24 signature error']);
    await expectPaid(userOp);
  });

  it('for an account that has the code but no key', async () => {
    const clone: Address = '0x00000000000000000000000000000000000c0de3';
    await chain.node.setCode({
      address: clone,
      bytecode: (await chain.client.getCode({ address: account }))!,
    });
    await chain.setUsdc(clone, 1_000_000_000n);
    const userOp = await signUserOp(chain, victim, await payment());
    await expectRefused([{ ...userOp, sender: clone }], ['AA24 signature error']);
    await expectRefused([await signUserOp(chain, victim, await payment(clone))], ['AA24 signature error']);
  });

  describe('at another entry point', () => {
    let other: Address;
    /** An account of that entry point. */
    let moved: Address;
    beforeAll(async () => {
      other = getAddress(await chain.deploy(entryPointV08Abi, entryPointV08Bytecode));
      moved = await chain.deploy(yieldVaultAccountAbi, yieldVaultAccountBytecode, [
        other,
        validator,
        executor,
      ]);
    });
    // The wallet pays in ether: the paymaster has an entry point of its own.
    const selfPaid = async () =>
      signUserOp(chain, victim, await payment(victim.address, { paymasterAndData: '0x' }));
    const refusal = (userOp: PackedUserOperation) =>
      revertOf(chain, { to: other, data: handleOpsCall(attacker.address, userOp) });

    it('the account refuses it', async () => {
      const userOp = await selfPaid();
      expect(await refusal(userOp)).toEqual(['AA23 reverted', 'AccountUnauthorized', other]);
      await expectPaid(userOp);
      expect(await refusal(userOp)).toEqual(['AA23 reverted', 'AccountUnauthorized', other]);
    });

    it('the validator refuses it, for a wallet that moved there', async () => {
      const userOp = await selfPaid();
      await expectPaid(userOp);
      await delegate(chain, victim, '0x', moved);
      const gains = await watch(chain, { attacker: attacker.address, victim: victim.address });
      expect(await refusal(userOp)).toEqual(['AA24 signature error']);
      expect((await gains()).attacker.usdc).toBe(0n);
      // Signed for that entry point it runs there.
      const hash = await chain.read(other, entryPointV08Abi, 'getUserOpHash', [userOp]);
      const native = { ...userOp, signature: await signHash(chain, victim, hash) };
      const data = handleOpsCall(attacker.address, native);
      const receipt = await chain.mined(
        chain.walletOf(attacker).sendTransaction({ to: other, data, gas: 2_000_000n }),
      );
      expect(outcomesOf(receipt)).toMatchObject([{ success: true }]);
      expect((await gains()).attacker.usdc).toBe(sum);
      await expectRefused([native], ['AA23 reverted', 'AccountUnauthorized', entryPoint]);
    });

    it('the paymaster refuses it', async () => {
      const userOp = await signUserOp(chain, victim, await payment());
      const data = encode(entryPointV08Abi, 'depositTo', [paymaster]);
      await chain.mined(chain.walletOf(attacker).sendTransaction({ to: other, data, value: 10n ** 18n }));
      await delegate(chain, victim, '0x', moved);
      const hash = await chain.read(other, entryPointV08Abi, 'getUserOpHash', [userOp]);
      const native = { ...userOp, signature: await signHash(chain, victim, hash) };
      expect(await refusal(native)).toEqual(['AA33 reverted', 'PaymasterUnauthorized', other]);
    });
  });
});
