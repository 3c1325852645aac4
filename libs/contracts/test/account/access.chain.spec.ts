import {
  type Address,
  type Hex,
  concatHex,
  encodeAbiParameters,
  encodePacked,
  erc20Abi,
  toFunctionSelector,
  zeroHash,
} from 'viem';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { bareModuleAbi } from '../generated/BareModule.js';
import {
  allowanceOf,
  approveHook,
  buildUserOp,
  configuredAgent,
  executorCall,
  hashUserOp,
  signUserOp,
  signedOp,
  singleCall,
} from '../support/account.js';
import { handleOps } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, onBase, operator, useTestChain } from '../support/chain.js';
import { deployModule, install, selfRevert, sendToSelf, uninstall } from '../support/modules.js';
import { poke } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

const { account, executor, validator } = localContracts;
const usdc = onBase.usdc;
const spender: Address = '0x000000000000000000000000000000000000dEaD';
const approve = (amount: bigint) => approveHook(spender, usdc, amount);
const hooks = executorCall(approve(5n));

describe('YieldVaultAccount: callers', () => {
  const chain = useTestChain();

  const execution = (target: Hex, data: Hex) =>
    encode(yieldVaultAccountAbi, 'executeFromExecutor', [
      zeroHash,
      encodePacked(['address', 'uint256', 'bytes'], [target, 0n, data]),
    ]);

  describe('access', () => {
    const entries: readonly (readonly [string, Hex])[] = [
      ['execute', singleCall(operator.address, '0x')],
      ['runHooks', hooks],
      ['installModule', install(1n, validator)],
      ['uninstallModule', uninstall(1n, validator)],
    ];

    it.each(entries)('error: AccountUnauthorized for %s, to modules of the account too', async (_, data) => {
      const module = await deployModule(chain);
      const agent = await configuredAgent(chain);
      await sendToSelf(chain, agent, install(2n, module));
      for (const from of [operator.address, executor, validator, module]) {
        const refusal = await revertOf(chain, { from, to: agent.address, data });
        expect(refusal[0]).toBe('AccountUnauthorized');
      }
    });

    it('error: AccountUnauthorized for validateUserOp, to the account itself too', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, agent.address, '0x');
      const data = encode(yieldVaultAccountAbi, 'validateUserOp', [userOp, zeroHash, 0n]);
      for (const from of [operator.address, agent.address]) {
        const refusal = await revertOf(chain, { from, to: agent.address, data });
        expect(refusal).toEqual(['AccountUnauthorized', from]);
      }
    });

    it.each(entries)('error: AccountNotDelegated for %s on the implementation', async (_, data) => {
      for (const from of [operator.address, entryPoint, account]) {
        expect(await revertOf(chain, { from, to: account, data })).toEqual(['AccountNotDelegated']);
      }
    });

    it('error: AccountNotDelegated for a user operation of the implementation', async () => {
      const userOp = await buildUserOp(chain, account, '0x');
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA23 reverted', 'AccountNotDelegated']);
    });

    it('error: ERC7579MissingFallbackHandler', async () => {
      const agent = await configuredAgent(chain);
      const refusal = await revertOf(chain, { to: agent.address, data: '0xdeadbeef' });
      expect(refusal).toEqual(['ERC7579MissingFallbackHandler', '0xdeadbeef']);
    });

    it('error: AA24 for a nonce key that names no installed validator', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, agent.address, '0x', {}, { validator: executor });
      const raw = { ...userOp, signature: await agent.sign({ hash: await hashUserOp(chain, userOp) }) };
      for (const signed of [await signUserOp(chain, agent, userOp), raw]) {
        expect(await handleOpsRevert(chain, signed)).toEqual(['AA24 signature error']);
      }
    });
  });

  describe('validateUserOp', () => {
    it('behavior: any validator module gets its arguments whole', async () => {
      const module = await deployModule(chain);
      const agent = await configuredAgent(chain);
      await sendToSelf(chain, agent, install(1n, module));
      const callData = singleCall(operator.address, '0x1234', 5n);
      const build = () => buildUserOp(chain, agent.address, callData, {}, { validator: module });
      const userOp = await build();
      const signature = encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'bytes' }],
        [await hashUserOp(chain, userOp), callData],
      );
      const { outcome } = await handleOps(chain, { ...userOp, signature });
      expect(outcome).toMatchObject({ success: true });

      const next = await build();
      expect(await handleOpsRevert(chain, { ...next, signature })).toEqual(['AA24 signature error']);
      await chain.write(module, bareModuleAbi, 'setAnswersShort');
      expect(await handleOpsRevert(chain, next)).toEqual(['AA23 reverted']);
      await chain.write(module, bareModuleAbi, 'setRefusesValidation');
      expect(await handleOpsRevert(chain, next)).toEqual(['AA23 reverted', 'ValidationRefused', 42n]);
    });

    it('behavior: pays for itself without a paymaster', async () => {
      const agent = await configuredAgent(chain);
      const { outcome } = await handleOps(chain, await poke(chain, agent, { paymasterAndData: '0x' }));
      expect(outcome).toMatchObject({ success: true });
    });
  });

  describe('runHooks', () => {
    it('default: for the account itself and for the entry point', async () => {
      const agent = await configuredAgent(chain);
      const allowance = () => allowanceOf(chain, usdc, agent.address, spender);
      expect((await sendToSelf(chain, agent, hooks)).status).toBe('success');
      expect(await allowance()).toBe(5n);
      const next = executorCall(approve(90_000_000n));
      const userOp = await signedOp(chain, agent, next, { paymasterAndData: '0x' });
      expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
      expect(await allowance()).toBe(90_000_000n);
    });

    it('error: ERC7579UninstalledModule after the removal of the executor, whatever else is installed', async () => {
      const module = await deployModule(chain);
      const agent = await configuredAgent(chain);
      await sendToSelf(chain, agent, install(2n, module));
      await sendToSelf(chain, agent, uninstall(2n, executor));
      for (const from of [agent.address, entryPoint]) {
        const refusal = await revertOf(chain, { from, to: agent.address, data: hooks });
        expect(refusal).toEqual(['ERC7579UninstalledModule', 2n, executor]);
      }
      await sendToSelf(chain, agent, install(2n, executor));
      expect((await sendToSelf(chain, agent, hooks)).status).toBe('success');
    });

    it('error: bytes beyond the call data, ether', async () => {
      const agent = await configuredAgent(chain);
      const selector = toFunctionSelector('runHooks(bytes)');
      const word = (value: number): Hex => encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)]);
      const hook = approve(5n);
      for (const data of [
        selector,
        concatHex([selector, word(32), word(74), hook]),
        concatHex([selector, word(64), word(73), hook]),
      ]) {
        expect(await selfRevert(chain, agent, data)).toEqual([]);
      }
      expect(await selfRevert(chain, agent, hooks, 1n)).toEqual([]);
    });
  });

  it('executeFromExecutor: for the default executor as long as it is installed, and for nobody else', async () => {
    const agent = await configuredAgent(chain);
    const data = execution(usdc, encode(erc20Abi, 'approve', [operator.address, 1n]));
    const refusal = (from: Hex) => revertOf(chain, { from, to: agent.address, data });
    for (const from of [operator.address, agent.address, validator]) {
      expect(await refusal(from)).toEqual(['ERC7579UninstalledModule', 2n, from]);
    }
    const { data: result } = await chain.client.call({ account: executor, to: agent.address, data });
    expect(result).toBeDefined();
    await sendToSelf(chain, agent, uninstall(2n, executor));
    expect(await refusal(executor)).toEqual(['ERC7579UninstalledModule', 2n, executor]);
  });
});
