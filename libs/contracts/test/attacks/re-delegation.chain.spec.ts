import { createRequire } from 'node:module';
import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  encodeAbiParameters,
  hexToBigInt,
  keccak256,
  numberToHex,
  pad,
  zeroAddress,
} from 'viem';
import { carelessAccountAbi, carelessAccountBytecode } from '../generated/CarelessAccount.js';
import {
  type PackedUserOperation,
  allowanceOf,
  balanceOf,
  buildUserOp,
  delegate,
  delegationTo,
  depositKeepOneHook,
  executorCall,
  hashUserOp,
  initializeCall,
  max,
  signedOp,
  transferCall,
} from '../support/account.js';
import { bundle, expectRefused, expectRuns } from '../support/bundle.js';
import { localContracts, useTestChain } from '../support/chain.js';
import {
  deployModule,
  isInstalled,
  removedDefaultsSlot,
  sendToSelf,
  slotOf,
  storageNamespace,
  uninstall,
} from '../support/modules.js';
import { deployVault } from '../support/vaults.js';

const simple7702 = createRequire(import.meta.url)(
  '@account-abstraction/contracts/artifacts/Simple7702Account.json',
) as { readonly abi: readonly unknown[]; readonly bytecode: Hex };
const { account, validator, executor } = localContracts;
const amount = 100_000_000n;
const erc1967 = hexToBigInt('0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc');

describe('attack: a wallet delegates to other implementations, before and in between', () => {
  const chain = useTestChain();
  let vault: Address;
  let simple: Address;
  let careless: Address;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  beforeAll(async () => {
    vault = await deployVault(chain);
    simple = await chain.deploy(simple7702.abi, simple7702.bytecode);
    careless = await chain.deploy(carelessAccountAbi, carelessAccountBytecode);
    attacker = await chain.agent();
  });
  beforeEach(async () => {
    victim = await chain.agent();
    await chain.setUsdc(victim.address, 1_000_000_000n);
  });

  const store = (slot: bigint, value: bigint) =>
    chain.write(victim.address, carelessAccountAbi, 'store', [slot, value]);
  const deposit = () =>
    signedOp(chain, victim, executorCall(depositKeepOneHook(vault, chain.usdc, amount, amount)));
  const delegateTo = async (implementation: Address) => {
    // The call of the wallet to itself may revert there; the delegation stands.
    await delegate(chain, victim, '0x', implementation);
    const isCleared = implementation === zeroAddress;
    const code = await chain.client.getCode({ address: victim.address });
    expect(code).toBe(isCleared ? undefined : delegationTo(implementation));
  };
  const setUp = async () => {
    expect((await delegate(chain, victim)).status).toBe('success');
  };
  const refused = (userOp: PackedUserOperation, reason: string) =>
    expectRefused(chain, attacker, [userOp], [reason]);

  /** The operation runs once: the victim gets its shares for what it signed. */
  async function runsOnce(userOp: PackedUserOperation) {
    await expectRuns(chain, attacker, userOp, amount);
    expect(await balanceOf(chain, vault, victim.address)).toBe(amount);
    await refused(userOp, 'AA25 invalid account nonce');
  }

  describe('before: storage that another implementation left', () => {
    beforeEach(() => delegateTo(careless));

    it('in ordinary slots: it is neither ours nor in our way', async () => {
      const slots = [0n, 1n, 2n, 3n, erc1967];
      for (const slot of slots) await store(slot, max);
      await setUp();
      await runsOnce(await deposit());
      for (const slot of slots) expect(await slotOf(chain, victim.address, slot)).toBe(max);
    });

    it.each([0b010n, max])(
      'in the bits of removed modules (%d): operations are refused at no cost, and the setup repairs it',
      async (bits) => {
        await store(removedDefaultsSlot, bits);
        await delegateTo(account);
        await refused(await deposit(), 'AA24 signature error');
        expect((await sendToSelf(chain, victim, initializeCall())).status).toBe('success');
        expect(await slotOf(chain, victim.address, removedDefaultsSlot)).toBe(bits & ~0b110n);
        await runsOnce(await deposit());
      },
    );

    it('known limit: in the list of validators: the module of the attacker counts, until the wallet removes it', async () => {
      const module = await deployModule(chain);
      // A set of addresses: its values, then their positions.
      const position = encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'uint256' }],
        [pad(module), storageNamespace + 1n],
      );
      await store(storageNamespace, 1n);
      await store(BigInt(keccak256(numberToHex(storageNamespace, { size: 32 }))), BigInt(module));
      await store(BigInt(keccak256(position)), 1n);
      await setUp();
      // A check of the setup sees it.
      expect(await isInstalled(chain, victim, 1n, module)).toBe(true);

      const steal = async () => {
        const callData = transferCall(chain, attacker.address, amount);
        const userOp = await buildUserOp(chain, victim.address, callData, {}, { validator: module });
        const types = [{ type: 'bytes32' }, { type: 'bytes' }];
        const signature = encodeAbiParameters(types, [await hashUserOp(chain, userOp), callData]);
        return { ...userOp, signature };
      };
      await expectRuns(chain, attacker, await steal(), amount);
      expect((await sendToSelf(chain, victim, uninstall(1n, module))).status).toBe('success');
      await refused(await steal(), 'AA24 signature error');
      await runsOnce(await deposit());
    });
  });

  describe('in between: an operation is signed, and the wallet delegates away', () => {
    let userOp: PackedUserOperation;
    beforeEach(async () => {
      await setUp();
      userOp = await deposit();
    });

    it.each<[string, () => Address, string]>([
      ['another account', () => simple, 'AA23 reverted'],
      ['nobody', () => zeroAddress, 'AA20 account not deployed'],
      ['the executor, whose code is no account', () => executor, 'AA23 reverted'],
    ])('to %s: it is refused at no cost, and runs once when the wallet is back', async (_, to, reason) => {
      await delegateTo(to());
      await refused(userOp, reason);
      await delegateTo(account);
      await runsOnce(userOp);
    });

    it('to another account, which uses its nonce: it is revoked for good', async () => {
      await delegateTo(simple);
      const call = await buildUserOp(chain, victim.address, '0x', { paymasterAndData: '0x' });
      const signature = await victim.sign({ hash: await hashUserOp(chain, call) });
      const { outcomes } = await bundle(chain, attacker, [{ ...call, signature }]);
      expect(outcomes).toMatchObject([{ success: true }]);
      await delegateTo(account);
      await refused(userOp, 'AA25 invalid account nonce');
      await runsOnce(await deposit());
    });

    it('to one that accepts everything: strangers use its operation, and the paymaster refuses it', async () => {
      await delegateTo(careless);
      const forged = { ...userOp, callData: '0x', signature: '0x' } as const;
      const unknown = ['AA33 reverted', 'PaymasterUnknownAccount', victim.address];
      for (const each of [userOp, forged]) await expectRefused(chain, attacker, [each], unknown);
      await delegateTo(account);
      await runsOnce(userOp);
    });
  });

  it('back and forth: what was installed, allowed and deposited is there, and nothing more', async () => {
    await setUp();
    await bundle(chain, attacker, [await deposit()]);
    const allowance = () => allowanceOf(chain, chain.usdc, victim.address, vault);
    for (const implementation of [simple, careless, zeroAddress, account]) await delegateTo(implementation);
    expect(await allowance()).toBe(1n);
    expect(await isInstalled(chain, victim, 1n, validator)).toBe(true);
    expect(await isInstalled(chain, victim, 2n, executor)).toBe(true);
    await expectRuns(chain, attacker, await deposit(), amount);
  });
});
