import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type SignedAuthorization,
  concatHex,
  erc20Abi,
} from 'viem';
import { yieldVaultAccountAbi, yieldVaultAccountBytecode } from '../../src/generated/YieldVaultAccount.js';
import {
  type PackedUserOperation,
  allowanceOf,
  balanceOf,
  delegationTo,
  depositHook,
  executorCall,
  initializeCall,
  max,
  newWallet,
  singleCall,
} from '../support/account.js';
import { expectRefused, expectRuns, nothing, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, undone, useTestChain } from '../support/chain.js';
import { signFirstOperation } from '../support/first-operation.js';
import { install } from '../support/modules.js';
import { revertOf } from '../support/reverts.js';
import { deployVault } from '../support/vaults.js';

const amount = 100_000_000n;

describe('attack: the authorization of a wallet (EIP-7702) in the wrong hands', () => {
  const chain = useTestChain();
  let vault: Address;
  let attacker: PrivateKeyAccount;
  let victim: PrivateKeyAccount;
  let userOp: PackedUserOperation;
  let takeAllowance: Hex;
  beforeAll(async () => {
    vault = await deployVault(chain);
    attacker = await chain.agent();
    const approve = encode(erc20Abi, 'approve', [attacker.address, max]);
    takeAllowance = singleCall(chain.usdc, approve);
  });
  beforeEach(async () => {
    victim = await newWallet(chain);
    const callData = executorCall(depositHook(vault, chain.usdc, amount, amount));
    ({ userOp } = await signFirstOperation(chain, victim, callData));
  });

  const authorize = (contractAddress: Address = localContracts.account) =>
    victim.signAuthorization({ contractAddress, chainId: chain.chainId, nonce: 0 });
  const codeOf = () => chain.client.getCode({ address: victim.address });
  /** A call of the attacker to the wallet, which carries the authorization. */
  const apply = (authorization: SignedAuthorization, data: Hex) =>
    chain.mined(
      chain
        .walletOf(attacker)
        .sendTransaction({ authorizationList: [authorization], to: victim.address, data, gas: 500_000n }),
    );
  const runs = async (...authorizationList: readonly SignedAuthorization[]) => {
    await expectRuns(chain, attacker, userOp, amount, { authorizationList });
    expect(await balanceOf(chain, vault, victim.address)).toBe(amount);
  };
  const refused = (...authorizationList: readonly SignedAuthorization[]) =>
    expectRefused(chain, attacker, [userOp], [], { authorizationList });

  it('a stranger uses it first: it has no access, and the first operation runs without it or with it', async () => {
    const authorization = await authorize();
    const gains = await watch(chain, { victim: victim.address });
    await apply(authorization, '0x');
    expect(await codeOf()).toBe(delegationTo(localContracts.account));
    for (const data of [
      takeAllowance,
      initializeCall(),
      executorCall(depositHook(vault, chain.usdc, amount, amount)),
      install(1n, attacker.address),
    ]) {
      const [error] = await revertOf(chain, { from: attacker.address, to: victim.address, data });
      expect(error).toMatch(/^Account(Initializer)?Unauthorized$/);
    }
    expect((await gains()).victim).toEqual(nothing);
    await undone(chain, () => runs());
    // Its nonce is used, so it is passed over.
    await runs(authorization);
  });

  it('a stranger calls the wallet in the transaction that delegates it', async () => {
    const { status } = await apply(await authorize(), takeAllowance);
    // The delegation stays although the call reverts.
    expect([status, await codeOf()]).toEqual(['reverted', delegationTo(localContracts.account)]);
    expect(await allowanceOf(chain, chain.usdc, victim.address, attacker.address)).toBe(0n);
    await runs();
  });

  it('one of another implementation does not carry an operation that names ours', async () => {
    // With the same validator: what it validates differs in nothing but its own address.
    const { validator, executor } = localContracts;
    const args = [entryPoint, validator, executor];
    const other = await chain.deploy(yieldVaultAccountAbi, yieldVaultAccountBytecode, args);
    await refused(await authorize(other));
    expect(await codeOf()).toBe(delegationTo(other));
    await refused();
  });

  it('nor can the marker be taken out of an operation, or other data follow it', async () => {
    const signed = userOp;
    for (const initCode of ['0x', concatHex([signed.initCode, takeAllowance])] as const) {
      userOp = { ...signed, initCode };
      await refused(await authorize());
    }
    // The refused bundles used the authorization.
    expect(await codeOf()).toBe(delegationTo(localContracts.account));
    userOp = signed;
    await runs();
  });
});
