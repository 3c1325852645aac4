import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  encodeAbiParameters,
  erc20Abi,
  getAddress,
  parseEventLogs,
  zeroAddress,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { yieldExecutorAbi } from '../../src/generated/YieldExecutor.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { mockTokenAbi } from '../generated/MockToken.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from '../generated/UsdtLikeToken.js';
import {
  allowanceOf,
  approveHook,
  balanceOf,
  configuredAgent,
  depositHook,
  executorCall,
  max,
  redeemHook,
  signedOp,
  singleCall,
} from '../support/account.js';
import { handleOpsCall } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, onBase, operator, useTestChain } from '../support/chain.js';
import { hooksRevert, runHooks, sendToSelf } from '../support/modules.js';
import { decodeRevert, revertOf } from '../support/reverts.js';
import { deployHostileVault, deployToken, deployVault, mint } from '../support/vaults.js';

const { account, executor } = localContracts;
const spender: Address = '0x000000000000000000000000000000000000dEaD';
const approve = (amount: bigint) => approveHook(spender, onBase.usdc, amount);

describe('YieldExecutor: callers and entries', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  let token: Address;
  let vault: Address;
  beforeAll(async () => {
    token = await deployToken(chain);
    vault = await deployVault(chain, token);
  });
  beforeEach(async () => {
    agent = await configuredAgent(chain);
    await mint(chain, token, agent.address, 1_000n);
  });

  const shares = (of = vault) => balanceOf(chain, of, agent.address);
  const run = (...hooks: readonly Hex[]) => runHooks(chain, agent, ...hooks);
  const reverts = (...hooks: readonly Hex[]) => hooksRevert(chain, agent, ...hooks);
  const deposit = (amount: bigint, minimum = amount, into = vault) =>
    depositHook(into, token, amount, minimum);
  /** A vault that gives ten, and calls `target` in the middle. */
  const attacking = (target: Address, data: Hex) =>
    deployHostileVault(chain, token, { given: 10n, calls: [target, data] });

  describe('approve', () => {
    it('default: sets exactly the amount for any spender and token, over an earlier one too', async () => {
      const usdt = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
      for (const asset of [chain.usdc, usdt]) {
        for (const amount of [100_000_000n, 5n, max, 0n]) {
          await run(approveHook(spender, asset, amount));
          expect(await allowanceOf(chain, asset, agent.address, spender)).toBe(amount);
        }
      }
    });

    it('error: the reason of the token comes through unchanged', async () => {
      await chain.write(token, mockTokenAbi, 'setApproveFromZeroOnly');
      expect(await reverts(approveHook(zeroAddress, token, 1n))).toEqual([
        'ERC20InvalidSpender',
        zeroAddress,
      ]);
    });
  });

  describe('entries', () => {
    it('behavior: eight hooks run, a ninth does not', async () => {
      const eight = Array.from({ length: 8 }, () => deposit(10n));
      await run(...eight);
      expect(await shares()).toBe(80n);
      expect(await reverts(...eight, deposit(10n))).toEqual(['TooManyHooks']);
    });

    it('behavior: a hook that fails undoes the hooks before it', async () => {
      const hooks = [deposit(10n), deposit(10n, 11n)];
      expect(await reverts(...hooks)).toEqual(['MinSharesNotMet', 11n, 10n]);
      expect((await sendToSelf(chain, agent, executorCall(...hooks))).status).toBe('reverted');
      expect(await shares()).toBe(0n);
    });

    it.each<[string, Hex]>([
      ['nothing', '0x'],
      ['an id alone', '0x01'],
      ['a short deposit', `0x01${'11'.repeat(103)}`],
      ['a short redeem', `0x02${'11'.repeat(103)}`],
      ['a short deposit that keeps one', `0x81${'11'.repeat(103)}`],
      ['a short approval', `0x03${'11'.repeat(71)}`],
      ['a rest', concatHex([approve(1n), '0x03'])],
    ])('error: MalformedEntries for %s', async (_, entries) => {
      expect(await reverts(entries)).toEqual(['MalformedEntries']);
    });

    it.each([0, 4, 0x80, 0x82, 0x83, 255])('error: UnknownHook %d', async (id) => {
      const entries = concatHex([`0x${id.toString(16).padStart(2, '0')}`, `0x${'11'.repeat(104)}`]);
      expect(await reverts(entries)).toEqual(['UnknownHook', id]);
    });
  });

  describe('callers', () => {
    const hooks = encode(yieldExecutorAbi, 'runHooks', [approve(1n)]);

    it('error: ExecutorNotDelegated for everybody who calls it', async () => {
      for (const from of [operator.address, agent.address, entryPoint, account]) {
        expect(await revertOf(chain, { from, to: executor, data: hooks })).toEqual(['ExecutorNotDelegated']);
      }
    });

    it('attack: a vault that calls the executor, in deposit and in redeem', async () => {
      const hostile = await attacking(executor, hooks);
      await mint(chain, hostile, agent.address, 10n);
      for (const hook of [deposit(10n, 10n, hostile), redeemHook(hostile, token, 10n, 10n)]) {
        expect(await reverts(hook)).toEqual(['ExecutorNotDelegated']);
      }
    });

    it('attack: a vault that calls the account', async () => {
      const steal = encode(erc20Abi, 'transfer', [operator.address, 1n]);
      const asExecutor = encode(yieldVaultAccountAbi, 'executeFromExecutor', [
        `0x${'00'.repeat(32)}`,
        concatHex([token, `0x${'00'.repeat(32)}`, steal]),
      ]);
      for (const [data, ...reason] of [
        [singleCall(token, steal), 'AccountUnauthorized'],
        [executorCall(approve(1n)), 'AccountUnauthorized'],
        [asExecutor, 'ERC7579UninstalledModule', 2n],
      ] as const) {
        const intruder = await attacking(agent.address, data);
        expect(await reverts(deposit(10n, 1n, intruder))).toEqual([...reason, getAddress(intruder)]);
      }
    });
  });

  describe('lock', () => {
    it('default: hooks of an account do not run inside hooks of the same account', async () => {
      // The account's own transaction, in whose vault its signed operation is submitted.
      const userOp = await signedOp(chain, agent, executorCall(approve(7n)));
      const hostile = await attacking(entryPoint, handleOpsCall(operator.address, userOp));
      const { logs } = await run(deposit(10n, 10n, hostile));
      const [failed] = parseEventLogs({
        abi: entryPointV08Abi,
        logs,
        eventName: 'UserOperationRevertReason',
      });
      expect(failed?.args.sender).toBe(agent.address);
      expect(decodeRevert(failed?.args.revertReason ?? '0x')).toEqual(['ExecutorReentered']);
      // What the outer hooks did stays.
      expect(await shares(hostile)).toBe(10n);
    });

    it('behavior: the lock opens again within one transaction', async () => {
      const components = [
        { name: 'target', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'callData', type: 'bytes' },
      ] as const;
      const calls = [10n, 20n].map((amount) => ({
        target: agent.address,
        value: 0n,
        callData: executorCall(deposit(amount)),
      }));
      const batch = encodeAbiParameters([{ type: 'tuple[]', components }], [calls]);
      const data = encode(yieldVaultAccountAbi, 'execute', [`0x01${'00'.repeat(31)}`, batch]);
      expect((await sendToSelf(chain, agent, data)).status).toBe('success');
      expect(await shares()).toBe(30n);
    });
  });

  it('attack: an out-of-gas hook reverts everything (63/64)', async () => {
    const data = executorCall(deposit(10n), deposit(10n));
    const gas = await chain.client.estimateGas({ account: agent, to: agent.address, data });
    expect((await sendToSelf(chain, agent, data, gas - 30_000n)).status).toBe('reverted');
    expect([await shares(), await allowanceOf(chain, token, agent.address, vault)]).toEqual([0n, 0n]);
  });

  it('behavior: is an executor, and reports the accounts that installed it', async () => {
    const types = [1n, 2n].map((type) => chain.read(executor, yieldExecutorAbi, 'isModuleType', [type]));
    expect(await Promise.all(types)).toEqual([false, true]);
    const initialized = [agent.address, operator.address].map((owner) =>
      chain.read(executor, yieldExecutorAbi, 'isInitialized', [owner]),
    );
    expect(await Promise.all(initialized)).toEqual([true, false]);
  });
});
