import { createRequire } from 'node:module';
import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeAbiParameters,
  erc20Abi,
  hexToBigInt,
  keccak256,
  numberToHex,
  pad,
  zeroAddress,
} from 'viem';
import { bareModuleAbi, bareModuleBytecode } from '../generated/BareModule.js';
import { carelessAccountAbi, carelessAccountBytecode } from '../generated/CarelessAccount.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  type PackedUserOperation,
  buildUserOp,
  configuredAgent,
  delegate,
  depositHook,
  executorCall,
  hashUserOp,
  initializeCall,
  max,
  signUserOp,
  singleCall,
} from '../support/account.js';
import { bundle, operationNonce, usdcFor, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, localContracts, operator, startTestChain } from '../support/chain.js';
import {
  isInstalled,
  removedDefaultsSlot,
  sendToSelf,
  slotOf,
  storageNamespace,
  uninstall,
} from '../support/modules.js';
import { handleOpsRevert } from '../support/reverts.js';

const simple7702 = createRequire(import.meta.url)(
  '@account-abstraction/contracts/artifacts/Simple7702Account.json',
) as { readonly abi: readonly unknown[]; readonly bytecode: Hex };
const { paymaster, validator, executor } = localContracts;
const amount = 100_000_000n;
const nothing = { usdc: 0n, wei: 0n, deposit: 0n };
const erc1967 = hexToBigInt('0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc');

describe('attack: a wallet delegates to other implementations, before and in between', () => {
  let chain: TestChain;
  let vault: Address;
  let simple: Address;
  let careless: Address;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  beforeAll(async () => {
    chain = await startTestChain();
    vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
    simple = await chain.deploy(simple7702.abi, simple7702.bytecode);
    careless = await chain.deploy(carelessAccountAbi, carelessAccountBytecode);
    attacker = await chain.agent();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    victim = await chain.agent();
    await chain.setUsdc(victim.address, 1_000_000_000n);
  });

  const store = (slot: bigint, value: bigint) =>
    chain.write(victim.address, carelessAccountAbi, 'store', [slot, value]);
  const deposit = async (overrides: Partial<PackedUserOperation> = {}) => {
    const callData = executorCall(depositHook(vault, chain.usdc, amount, amount));
    const userOp = await buildUserOp(chain, victim.address, callData, overrides);
    return signUserOp(chain, victim, userOp);
  };
  const delegateTo = async (implementation: Address) => {
    // The call of the wallet to itself may revert there; the delegation stands.
    await delegate(chain, victim, '0x', implementation);
    const code = await chain.client.getCode({ address: victim.address });
    const isCleared = implementation === zeroAddress;
    expect(code).toBe(isCleared ? undefined : concatHex(['0xef0100', implementation]).toLowerCase());
  };
  const setUp = async () => {
    expect((await delegate(chain, victim)).status).toBe('success');
  };

  /** The operation runs once: the victim gets its shares for what it signed. */
  async function expectRuns(userOp: PackedUserOperation) {
    const gains = await watch(chain, { victim: victim.address });
    const { outcomes } = await bundle(chain, attacker, [userOp]);
    expect(outcomes).toMatchObject([{ sender: victim.address, success: true }]);
    expect((await gains()).victim.usdc).toBe(-amount - outcomes[0]!.charged!);
    expect(await chain.read(vault, erc20Abi, 'balanceOf', [victim.address])).toBe(amount);
    expect(await handleOpsRevert(chain, userOp)).toEqual(['AA25 invalid account nonce']);
  }

  async function expectRefused(userOp: PackedUserOperation, reason: string) {
    const gains = await watch(chain, { victim: victim.address, paymaster });
    expect((await handleOpsRevert(chain, userOp))[0]).toBe(reason);
    expect((await bundle(chain, attacker, [userOp])).receipt.status).toBe('reverted');
    expect(await gains()).toEqual({ victim: nothing, paymaster: nothing });
  }

  describe('before: storage that another implementation left', () => {
    beforeEach(() => delegateTo(careless));

    it('in ordinary slots: it is neither ours nor in our way', async () => {
      const slots = [...Array.from({ length: 8 }, (_, index) => BigInt(index)), erc1967];
      for (const slot of slots) await store(slot, max);
      await setUp();
      await expectRuns(await deposit());
      for (const slot of slots) expect(await slotOf(chain, victim.address, slot)).toBe(max);
    });

    it.each([0b010n, 0b110n, max])(
      'in the bits of removed modules (%d): operations are refused at no cost, and the setup repairs it',
      async (bits) => {
        await store(removedDefaultsSlot, bits);
        await delegateTo(localContracts.account);
        await expectRefused(await deposit(), 'AA24 signature error');
        expect((await sendToSelf(chain, victim, initializeCall(chain.usdc))).status).toBe('success');
        expect(await slotOf(chain, victim.address, removedDefaultsSlot)).toBe(bits & ~0b110n);
        await expectRuns(await deposit());
      },
    );

    it('known limit: in the list of validators: the module of the attacker counts, until the wallet removes it', async () => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      const key = (word: Hex, slot: bigint): bigint =>
        hexToBigInt(keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [word, slot])));
      // A set of addresses: its values, then their positions.
      await store(storageNamespace, 1n);
      await store(hexToBigInt(keccak256(numberToHex(storageNamespace, { size: 32 }))), BigInt(module));
      await store(key(pad(module), storageNamespace + 1n), 1n);
      await setUp();
      // A check of the setup sees it.
      expect(await isInstalled(chain, victim, 1n, module)).toBe(true);
      expect(await isInstalled(chain, victim, 1n, validator)).toBe(true);

      const steal = async (sum: bigint) => {
        const callData = singleCall(chain.usdc, encode(erc20Abi, 'transfer', [attacker.address, sum]));
        const userOp = await buildUserOp(chain, victim.address, callData, {}, { validator: module });
        const types = [{ type: 'bytes32' }, { type: 'bytes' }];
        const signature = encodeAbiParameters(types, [await hashUserOp(chain, userOp), callData]);
        return { ...userOp, signature };
      };
      const gains = await watch(chain, { attacker: attacker.address });
      await bundle(chain, attacker, [await steal(amount)]);
      expect((await gains()).attacker.usdc).toBe(amount);

      expect((await sendToSelf(chain, victim, uninstall(1n, module))).status).toBe('success');
      await expectRefused(await steal(amount), 'AA24 signature error');
      await expectRuns(await deposit());
    });
  });

  describe('in between: an operation is signed, and the wallet delegates away', () => {
    let userOp: PackedUserOperation;
    beforeEach(async () => {
      await setUp();
      userOp = await deposit();
    });

    const places: readonly (readonly [string, () => Address, string])[] = [
      ['another account', () => simple, 'AA23 reverted'],
      ['nobody', () => zeroAddress, 'AA20 account not deployed'],
      ['the executor, whose code is no account', () => executor, 'AA23 reverted'],
    ];
    it.each(places)(
      'to %s: it is refused at no cost, and runs once when the wallet is back',
      async (_, to, reason) => {
        await delegateTo(to());
        await expectRefused(userOp, reason);
        await delegateTo(localContracts.account);
        await expectRuns(userOp);
      },
    );

    it('to another account, which uses its nonce: it is revoked for good', async () => {
      await delegateTo(simple);
      const call = await buildUserOp(chain, victim.address, '0x');
      const signature = await victim.sign({ hash: await hashUserOp(chain, call) });
      const { outcomes } = await bundle(chain, attacker, [{ ...call, signature }]);
      expect(outcomes).toMatchObject([{ sender: victim.address, success: true }]);
      await delegateTo(localContracts.account);
      await expectRefused(userOp, 'AA25 invalid account nonce');
      await expectRuns(await deposit());
    });

    it('known limit: to one that accepts everything: the allowance pays for the operations of strangers', async () => {
      await delegateTo(careless);
      const gains = await watch(chain, { victim: victim.address, paymaster, attacker: attacker.address });
      // The attacker runs the signed call with gas that nobody uses, up to the ceiling.
      const forged = {
        ...userOp,
        callData: '0x' as Hex,
        preVerificationGas: 500_000n,
        signature: '0x' as Hex,
      };
      const { outcomes } = await bundle(chain, attacker, [forged]);
      const { charged, billed, rate } = outcomes[0]!;
      const after = await gains();
      expect(after.victim.usdc).toBe(-charged!);
      expect(charged).toBeLessThanOrEqual(10_000_000n);
      // The paymaster is not out of pocket.
      expect(after.paymaster).toEqual({ usdc: charged, wei: 0n, deposit: -billed });
      expect(charged).toBeGreaterThanOrEqual(usdcFor(billed, rate!));
      expect(await operationNonce(chain, userOp)).toBe(userOp.nonce + 1n);
    });
  });

  it('back and forth: what was installed, allowed and deposited is there, and nothing more', async () => {
    victim = await configuredAgent(chain);
    await expectRuns(await deposit());
    const allowance = (spender: Address) =>
      chain.read(chain.usdc, erc20Abi, 'allowance', [victim.address, spender]);
    const before = await allowance(paymaster);
    for (const implementation of [simple, careless, zeroAddress]) await delegateTo(implementation);
    await delegateTo(localContracts.account);
    expect([await allowance(paymaster), await allowance(vault)]).toEqual([before, 1n]);
    expect(await isInstalled(chain, victim, 1n, validator)).toBe(true);
    expect(await isInstalled(chain, victim, 2n, executor)).toBe(true);
    const poke = await buildUserOp(chain, victim.address, singleCall(operator.address, '0x', 1n));
    const { outcomes } = await bundle(chain, attacker, [await signUserOp(chain, victim, poke)]);
    expect(outcomes).toMatchObject([{ success: true }]);
  });
});
