import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type SignedAuthorization,
  concatHex,
  erc20Abi,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { yieldVaultAccountAbi, yieldVaultAccountBytecode } from '../../src/generated/YieldVaultAccount.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  type PackedUserOperation,
  delegate,
  depositHook,
  executorCall,
  initializeCall,
  max,
  signUserOp,
  singleCall,
} from '../support/account.js';
import { bundle, operationNonce, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { type TestChain, entryPoint, localContracts, startTestChain } from '../support/chain.js';
import { signFirstOperation } from '../support/first-operation.js';
import { revertOf } from '../support/reverts.js';

const amount = 100_000_000n;
const nothing = { usdc: 0n, wei: 0n, deposit: 0n };

describe('attack: the authorization of a wallet (EIP-7702) in the wrong hands', () => {
  let chain: TestChain;
  let vault: Address;
  let attacker: PrivateKeyAccount;
  /** Has USDC, and neither ether nor code. */
  let victim: PrivateKeyAccount;
  let userOp: PackedUserOperation;
  beforeAll(async () => {
    chain = await startTestChain();
    vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [chain.usdc]);
    attacker = await chain.agent();
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    victim = privateKeyToAccount(generatePrivateKey());
    await chain.setUsdc(victim.address, 1_000_000_000n);
    const callData = executorCall(depositHook(vault, chain.usdc, amount, amount));
    ({ userOp } = await signFirstOperation(chain, victim, callData, 20_000_000n));
  });

  const authorize = (overrides: { chainId?: number; nonce?: number; contractAddress?: Address } = {}) =>
    victim.signAuthorization({
      contractAddress: localContracts.account,
      chainId: chain.chainId,
      nonce: 0,
      ...overrides,
    });
  const codeOf = () => chain.client.getCode({ address: victim.address });
  const delegated = (implementation: Address = localContracts.account) =>
    concatHex(['0xef0100', implementation]).toLowerCase();
  /** A transaction of the attacker that carries authorizations of others. */
  const apply = (...authorizationList: readonly SignedAuthorization[]) =>
    chain.mined(
      chain
        .walletOf(attacker)
        .sendTransaction({ authorizationList, to: attacker.address, data: '0x', gas: 300_000n }),
    );
  const send = (...authorizations: readonly SignedAuthorization[]) =>
    bundle(chain, attacker, [userOp], 8_000_000n, authorizations);

  async function expectRuns(...authorizations: readonly SignedAuthorization[]) {
    const gains = await watch(chain, { victim: victim.address });
    const { outcomes } = await send(...authorizations);
    expect(outcomes).toMatchObject([{ sender: victim.address, success: true }]);
    expect((await gains()).victim).toEqual({ usdc: -amount - outcomes[0]!.charged!, wei: 0n, deposit: 0n });
    expect(await chain.read(vault, erc20Abi, 'balanceOf', [victim.address])).toBe(amount);
  }

  async function expectRefused(...authorizations: readonly SignedAuthorization[]) {
    const gains = await watch(chain, { victim: victim.address, paymaster: localContracts.paymaster });
    expect((await send(...authorizations)).receipt.status).toBe('reverted');
    expect(await gains()).toEqual({ victim: nothing, paymaster: nothing });
    expect(await operationNonce(chain, userOp)).toBe(userOp.nonce);
  }

  it('a stranger uses it first: it has no access, and the first operation runs without it or with it', async () => {
    const authorization = await authorize();
    const gains = await watch(chain, { victim: victim.address });
    await apply(authorization);
    expect(await codeOf()).toBe(delegated());
    const approve = encode(erc20Abi, 'approve', [attacker.address, max]);
    const calls: readonly Hex[] = [
      initializeCall(chain.usdc, { paymaster: attacker.address, allowance: max }),
      singleCall(chain.usdc, approve),
      executorCall(depositHook(vault, chain.usdc, amount, amount)),
      encode(yieldVaultAccountAbi, 'installModule', [1n, attacker.address, '0x']),
    ];
    for (const data of calls) {
      const [error] = await revertOf(chain, { from: attacker.address, to: victim.address, data });
      expect(error).toMatch(/^Account(Initializer)?Unauthorized$/);
    }
    expect((await gains()).victim).toEqual(nothing);

    const snapshot = await chain.node.snapshot();
    await expectRuns();
    await chain.node.revert({ id: snapshot });
    // Its nonce is used, so it is passed over.
    await expectRuns(authorization);
  });

  it('a stranger uses the authorization of a setup, or calls something else in the transaction: the setup still works', async () => {
    victim = await chain.agent();
    const setup = await authorize({ nonce: 1 });
    // For a transaction of the wallet itself the nonce is one too high for anybody else.
    await apply(setup);
    expect(await codeOf()).toBeUndefined();
    expect((await delegate(chain, victim)).status).toBe('success');
    expect(await codeOf()).toBe(delegated());
    const spender = localContracts.paymaster;
    expect(await chain.read(chain.usdc, erc20Abi, 'allowance', [victim.address, spender])).toBe(amount);
  });

  it('a stranger calls the wallet in the transaction that delegates it', async () => {
    const data = initializeCall(chain.usdc, { paymaster: attacker.address, allowance: max });
    const { status } = await chain.mined(
      chain.walletOf(attacker).sendTransaction({
        authorizationList: [await authorize()],
        to: victim.address,
        data,
        gas: 500_000n,
      }),
    );
    // The delegation stays although the call reverts.
    expect([status, await codeOf()]).toEqual(['reverted', delegated()]);
    const spender = attacker.address;
    expect(await chain.read(chain.usdc, erc20Abi, 'allowance', [victim.address, spender])).toBe(0n);
    await expectRuns();
  });

  it.each([
    ['of another chain', { chainId: 1 }],
    ['of a later nonce', { nonce: 1 }],
  ] as const)('one %s does nothing, and the operation is refused', async (_, overrides) => {
    await expectRefused(await authorize(overrides));
    expect(await codeOf()).toBeUndefined();
    await expectRuns(await authorize());
  });

  it('a used one delegates nobody again', async () => {
    victim = await chain.agent();
    const old = await authorize();
    await apply(old);
    await delegate(chain, victim, '0x', zeroAddress);
    await apply(old);
    expect(await codeOf()).toBeUndefined();
  });

  describe('one of another implementation', () => {
    let other: Address;
    beforeAll(async () => {
      // With the same validator: what it validates differs in nothing but its own address.
      other = await chain.deploy(yieldVaultAccountAbi, yieldVaultAccountBytecode, [
        entryPoint,
        localContracts.validator,
        localContracts.executor,
      ]);
    });

    it('does not carry an operation that names ours', async () => {
      await expectRefused(await authorize({ contractAddress: other }));
      await apply(await authorize({ contractAddress: other }));
      expect(await codeOf()).toBe(delegated(other));
      await expectRefused();
    });

    it('control: it would carry an operation without the marker', async () => {
      userOp = await signUserOp(chain, victim, { ...userOp, initCode: '0x' });
      await expectRuns(await authorize({ contractAddress: other }));
    });

    it('nor can the marker be taken out of an operation, or other data follow it', async () => {
      for (const initCode of ['0x', concatHex([userOp.initCode, initializeCall(chain.usdc)])] as const) {
        const signed = userOp;
        userOp = { ...signed, initCode };
        await expectRefused(await authorize());
        userOp = signed;
      }
      // The refused bundles used the authorization.
      expect(await codeOf()).toBe(delegated());
      await expectRuns();
    });
  });
});
