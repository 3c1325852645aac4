import {
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeAbiParameters,
  encodePacked,
  erc20Abi,
  toFunctionSelector,
  zeroHash,
} from 'viem';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { bareModuleAbi, bareModuleBytecode } from '../generated/BareModule.js';
import {
  approvePaymasterHook,
  buildUserOp,
  configuredAgent,
  executorCall,
  handleOps,
  hashUserOp,
  signUserOp,
  singleCall,
} from '../support/account.js';
import { type TestChain, entryPoint, localContracts, operator, startTestChain } from '../support/chain.js';
import { install, sendToSelf, uninstall } from '../support/modules.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';
import { encode } from '../support/calls.js';

describe('YieldVaultAccount: callers', () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());

  const allowance = (agent: PrivateKeyAccount) =>
    chain.read(chain.usdc, erc20Abi, 'allowance', [agent.address, localContracts.paymaster]);

  describe('access', () => {
    const entries: readonly (readonly [string, Hex])[] = [
      ['execute', singleCall(operator.address, '0x')],
      ['runHooks', executorCall(approvePaymasterHook(1n))],
      ['installModule', install(1n, localContracts.validator)],
      ['uninstallModule', uninstall(1n, localContracts.validator)],
    ];

    it.each(entries)('error: AccountUnauthorized for %s', async (_, data) => {
      const agent = await configuredAgent(chain);
      expect(await revertOf(chain, { to: agent.address, data })).toEqual([
        'AccountUnauthorized',
        operator.address,
      ]);
    });

    it('error: AccountUnauthorized for validateUserOp, to the account itself too', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, agent.address, '0x');
      const data = encode(yieldVaultAccountAbi, 'validateUserOp', [userOp, zeroHash, 0n]);
      for (const from of [operator.address, agent.address]) {
        expect(await revertOf(chain, { from, to: agent.address, data })).toEqual([
          'AccountUnauthorized',
          from,
        ]);
      }
    });

    it('error: ERC7579UninstalledModule for executeFromExecutor', async () => {
      const agent = await configuredAgent(chain);
      for (const from of [operator.address, agent.address, localContracts.validator]) {
        const data = encode(yieldVaultAccountAbi, 'executeFromExecutor', [
          zeroHash,
          encodePacked(['address', 'uint256'], [operator.address, 1n]),
        ]);
        expect(await revertOf(chain, { from, to: agent.address, data })).toEqual([
          'ERC7579UninstalledModule',
          2n,
          from,
        ]);
      }
    });

    it.each(entries)('error: AccountNotDelegated for %s on the implementation', async (_, data) => {
      for (const from of [operator.address, entryPoint, localContracts.account]) {
        expect(await revertOf(chain, { from, to: localContracts.account, data })).toEqual([
          'AccountNotDelegated',
        ]);
      }
    });

    it('error: AccountNotDelegated for a user operation of the implementation', async () => {
      const userOp = await buildUserOp(chain, localContracts.account, '0x');
      expect(await handleOpsRevert(chain, userOp)).toEqual(['AA23 reverted', 'AccountNotDelegated']);
    });

    it('error: ERC7579MissingFallbackHandler', async () => {
      const agent = await configuredAgent(chain);
      expect(await revertOf(chain, { to: agent.address, data: '0xdeadbeef' })).toEqual([
        'ERC7579MissingFallbackHandler',
        '0xdeadbeef',
      ]);
    });

    it('error: AA24 for a nonce key that names no installed validator', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(
        chain,
        agent.address,
        '0x',
        {},
        { validator: localContracts.executor },
      );
      const signed = await signUserOp(chain, agent, userOp);
      expect(await handleOpsRevert(chain, signed)).toEqual(['AA24 signature error']);
      const raw = await agent.sign({ hash: await hashUserOp(chain, userOp) });
      expect(await handleOpsRevert(chain, { ...userOp, signature: raw })).toEqual(['AA24 signature error']);
    });
  });

  describe('validateUserOp', () => {
    it('behavior: any validator module gets its arguments whole', async () => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      const agent = await configuredAgent(chain);
      await sendToSelf(chain, agent, install(1n, module));
      const callData = singleCall(operator.address, '0x1234', 5n);
      const userOp = await buildUserOp(chain, agent.address, callData, {}, { validator: module });
      const signature = encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'bytes' }],
        [await hashUserOp(chain, userOp), callData],
      );
      const { outcome } = await handleOps(chain, { ...userOp, signature });
      expect(outcome).toMatchObject({ success: true });

      const next = await buildUserOp(chain, agent.address, callData, {}, { validator: module });
      expect(await handleOpsRevert(chain, { ...next, signature })).toEqual(['AA24 signature error']);
      await chain.write(module, bareModuleAbi, 'setAnswersShort');
      expect(await handleOpsRevert(chain, next)).toEqual(['AA23 reverted']);
      await chain.write(module, bareModuleAbi, 'setRefusesValidation');
      expect(await handleOpsRevert(chain, next)).toEqual(['AA23 reverted', 'ValidationRefused', 42n]);
    });

    it('behavior: pays for itself without a paymaster', async () => {
      const agent = await configuredAgent(chain);
      const userOp = await buildUserOp(chain, agent.address, singleCall(operator.address, '0x', 1n), {
        paymasterAndData: '0x',
      });
      const { outcome } = await handleOps(chain, await signUserOp(chain, agent, userOp));
      expect(outcome).toMatchObject({ success: true });
    });
  });

  describe('runHooks', () => {
    const hooks = executorCall(approvePaymasterHook(5n));

    it('default: for the account itself and for the entry point', async () => {
      const agent = await configuredAgent(chain);
      expect((await sendToSelf(chain, agent, hooks)).status).toBe('success');
      expect(await allowance(agent)).toBe(5n);
      const next = executorCall(approvePaymasterHook(90_000_000n));
      const userOp = await buildUserOp(chain, agent.address, next, { paymasterAndData: '0x' });
      const { outcome } = await handleOps(chain, await signUserOp(chain, agent, userOp));
      expect(outcome).toMatchObject({ success: true });
      expect(await allowance(agent)).toBe(90_000_000n);
    });

    it('error: AccountUnauthorized, to modules of the account too', async () => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      const agent = await configuredAgent(chain);
      await sendToSelf(chain, agent, install(2n, module));
      for (const from of [operator.address, localContracts.executor, localContracts.validator, module]) {
        expect(await revertOf(chain, { from, to: agent.address, data: hooks })).toMatchObject({
          0: 'AccountUnauthorized',
        });
      }
    });

    it('error: ERC7579UninstalledModule after the removal of the executor, whatever else is installed', async () => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      const agent = await configuredAgent(chain);
      await sendToSelf(chain, agent, install(2n, module));
      await sendToSelf(chain, agent, uninstall(2n, localContracts.executor));
      for (const from of [agent.address, entryPoint]) {
        expect(await revertOf(chain, { from, to: agent.address, data: hooks })).toEqual([
          'ERC7579UninstalledModule',
          2n,
          localContracts.executor,
        ]);
      }
      await sendToSelf(chain, agent, install(2n, localContracts.executor));
      expect((await sendToSelf(chain, agent, hooks)).status).toBe('success');
    });

    it('error: the reason of a hook comes through unchanged', async () => {
      const agent = await configuredAgent(chain);
      const call = { from: agent.address, to: agent.address };
      expect(
        await revertOf(chain, { ...call, data: executorCall(approvePaymasterHook(100_000_001n)) }),
      ).toEqual(['AllowanceAboveCap', 100_000_000n, 100_000_001n]);
    });

    it('error: bytes beyond the call data, ether', async () => {
      const agent = await configuredAgent(chain);
      const call = { from: agent.address, to: agent.address };
      const selector = toFunctionSelector('runHooks(bytes)');
      const word = (value: number): Hex => encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)]);
      const hook = approvePaymasterHook(5n);
      for (const data of [
        selector,
        concatHex([selector, word(32), word(34), hook]),
        concatHex([selector, word(64), word(33), hook]),
      ]) {
        expect(await revertOf(chain, { ...call, data })).toEqual([]);
      }
      expect(await revertOf(chain, { ...call, data: hooks, value: 1n })).toEqual([]);
    });
  });

  describe('executeFromExecutor', () => {
    const execution = (target: Hex, data: Hex) =>
      encode(yieldVaultAccountAbi, 'executeFromExecutor', [
        zeroHash,
        encodePacked(['address', 'uint256', 'bytes'], [target, 0n, data]),
      ]);

    it('behavior: for the default executor as long as it is installed', async () => {
      const agent = await configuredAgent(chain);
      const approve = encode(erc20Abi, 'approve', [operator.address, 1n]);
      const call = {
        account: localContracts.executor,
        to: agent.address,
        data: execution(chain.usdc, approve),
      };
      expect((await chain.client.call(call)).data).toBeDefined();
      await sendToSelf(chain, agent, uninstall(2n, localContracts.executor));
      expect(await revertOf(chain, { ...call, from: call.account })).toEqual([
        'ERC7579UninstalledModule',
        2n,
        localContracts.executor,
      ]);
    });
  });
});
