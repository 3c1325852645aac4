import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  createPublicClient,
  encodeAbiParameters,
  encodeDeployData,
  erc20Abi,
  getAddress,
  http,
  parseEventLogs,
} from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { yieldExecutorAbi, yieldExecutorBytecode } from '../../src/generated/YieldExecutor.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { paymasterAllowanceCaps } from '../../src/address-book.js';
import { hostileVaultAbi, hostileVaultBytecode } from '../generated/HostileVault.js';
import { mockTokenAbi, mockTokenBytecode } from '../generated/MockToken.js';
import { mockVaultAbi, mockVaultBytecode } from '../generated/MockVault.js';
import {
  approvePaymasterHook,
  buildUserOp,
  configuredAgent,
  depositHook,
  executorCall,
  redeemHook,
  signUserOp,
  singleCall,
} from '../support/account.js';
import {
  type TestChain,
  entryPoint,
  localContracts,
  operator,
  startAnvil,
  startTestChain,
} from '../support/chain.js';
import { decodeRevert, revertOf } from '../support/reverts.js';
import { encode } from '../support/calls.js';

describe('YieldExecutor: callers and entries', () => {
  let chain: TestChain;
  let agent: PrivateKeyAccount;
  let token: Address;
  let vault: Address;
  beforeAll(async () => {
    chain = await startTestChain();
    token = await chain.deploy(mockTokenAbi, mockTokenBytecode);
    vault = await chain.deploy(mockVaultAbi, mockVaultBytecode, [token]);
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    agent = await configuredAgent(chain);
    await mint(agent.address);
  });

  const mint = (to: Address) => chain.write(token, mockTokenAbi, 'mint', [to, 1_000n]);
  const balance = (address: Address) => chain.read(address, erc20Abi, 'balanceOf', [agent.address]);
  const allowance = (address: Address, spender: Address) =>
    chain.read(address, erc20Abi, 'allowance', [agent.address, spender]);
  const send = (data: Hex, gas = 3_000_000n) =>
    chain.mined(chain.walletOf(agent).sendTransaction({ to: agent.address, data, gas }));
  const run = async (...hooks: readonly Hex[]) => {
    const receipt = await send(executorCall(...hooks));
    expect(receipt.status).toBe('success');
    return receipt;
  };
  const reverts = (...hooks: readonly Hex[]) =>
    revertOf(chain, { from: agent.address, to: agent.address, data: executorCall(...hooks) });
  /** A vault that gives ten, and calls `target` in the middle. */
  const attacking = async (target: Address, data: Hex) => {
    const hostile = await chain.deploy(hostileVaultAbi, hostileVaultBytecode, [token]);
    await chain.write(hostile, hostileVaultAbi, 'behave', [10n, 10n, 100n]);
    await chain.write(hostile, hostileVaultAbi, 'callBack', [target, data]);
    return hostile;
  };
  /** Submits a signed operation from within a contract. */
  const submitting = async (owner: PrivateKeyAccount, callData: Hex) => {
    const userOp = await signUserOp(chain, owner, await buildUserOp(chain, owner.address, callData));
    return attacking(entryPoint, encode(entryPointV08Abi, 'handleOps', [[userOp], operator.address]));
  };
  const outcomeOf = ({ logs }: Awaited<ReturnType<typeof run>>) =>
    parseEventLogs({ abi: entryPointV08Abi, logs, eventName: 'UserOperationEvent' })[0]?.args;

  describe('approve paymaster', () => {
    it('default', async () => {
      for (const amount of [100_000_000n, 5n, 0n]) {
        await run(approvePaymasterHook(amount));
        expect(await allowance(chain.usdc, localContracts.paymaster)).toBe(amount);
      }
    });

    it('error: AllowanceAboveCap', async () => {
      expect(await reverts(approvePaymasterHook(100_000_001n))).toEqual([
        'AllowanceAboveCap',
        100_000_000n,
        100_000_001n,
      ]);
    });
  });

  describe('entries', () => {
    it('behavior: eight hooks run, a ninth does not', async () => {
      const eight = Array.from({ length: 8 }, () => depositHook(vault, token, 10n, 10n));
      await run(...eight);
      expect(await balance(vault)).toBe(80n);
      expect(await reverts(...eight, depositHook(vault, token, 10n, 10n))).toEqual(['TooManyHooks']);
    });

    it('behavior: a hook that fails undoes the hooks before it', async () => {
      expect(await reverts(depositHook(vault, token, 10n, 10n), depositHook(vault, token, 10n, 11n))).toEqual(
        ['MinSharesNotMet', 11n, 10n],
      );
      expect(await balance(vault)).toBe(0n);
    });

    it.each([
      ['nothing', '0x'],
      ['an id alone', '0x01'],
      ['a short deposit', concatHex(['0x01', `0x${'11'.repeat(103)}`])],
      ['a short redeem', concatHex(['0x02', `0x${'11'.repeat(103)}`])],
      ['a short approval', concatHex(['0x03', `0x${'11'.repeat(31)}`])],
      ['a rest', concatHex([approvePaymasterHook(1n), '0x03'])],
    ] as const)('error: MalformedEntries for %s', async (_, entries) => {
      expect(await reverts(entries)).toEqual(['MalformedEntries']);
    });

    it.each([0, 4, 255])('error: UnknownHook %d', async (id) => {
      const entries = concatHex([`0x${id.toString(16).padStart(2, '0')}`, `0x${'11'.repeat(104)}`]);
      expect(await reverts(entries)).toEqual(['UnknownHook', id]);
    });
  });

  describe('callers', () => {
    const hooks = encode(yieldExecutorAbi, 'runHooks', [approvePaymasterHook(1n)]);

    it('error: ExecutorNotDelegated for everybody who calls it', async () => {
      const callers = [operator.address, agent.address, entryPoint, localContracts.account];
      for (const from of callers) {
        expect(await revertOf(chain, { from, to: localContracts.executor, data: hooks })).toEqual([
          'ExecutorNotDelegated',
        ]);
      }
    });

    it('attack: a vault that calls the executor, in deposit and in redeem', async () => {
      const hostile = await attacking(localContracts.executor, hooks);
      await chain.write(hostile, hostileVaultAbi, 'mint', [agent.address, 10n]);
      expect(await reverts(depositHook(hostile, token, 10n, 10n))).toEqual(['ExecutorNotDelegated']);
      expect(await reverts(redeemHook(hostile, token, 10n, 10n))).toEqual(['ExecutorNotDelegated']);
    });

    it('attack: a vault that calls the account', async () => {
      const steal = encode(erc20Abi, 'transfer', [operator.address, 1n]);
      const viaExecutor = encode(yieldVaultAccountAbi, 'executeFromExecutor', [
        `0x${'00'.repeat(32)}`,
        concatHex([token, `0x${'00'.repeat(32)}`, steal]),
      ]);
      for (const data of [singleCall(token, steal), executorCall(approvePaymasterHook(1n))]) {
        const intruder = await attacking(agent.address, data);
        expect(await reverts(depositHook(intruder, token, 10n, 1n))).toEqual([
          'AccountUnauthorized',
          getAddress(intruder),
        ]);
      }
      const intruder = await attacking(agent.address, viaExecutor);
      expect(await reverts(depositHook(intruder, token, 10n, 1n))).toEqual([
        'ERC7579UninstalledModule',
        2n,
        getAddress(intruder),
      ]);
    });
  });

  describe('lock', () => {
    it('default: hooks of an account do not run inside hooks of the same account', async () => {
      // The account's own transaction, in whose vault its signed operation is submitted.
      const hostile = await submitting(agent, executorCall(approvePaymasterHook(7n)));
      const receipt = await run(depositHook(hostile, token, 10n, 10n));
      expect(outcomeOf(receipt)).toMatchObject({ sender: agent.address, success: false });
      const [failed] = parseEventLogs({
        abi: entryPointV08Abi,
        logs: receipt.logs,
        eventName: 'UserOperationRevertReason',
      });
      expect(decodeRevert(failed?.args.revertReason ?? '0x')).toEqual(['ExecutorReentered']);
      // What the outer hooks did stays.
      expect(await balance(hostile)).toBe(10n);
    });

    it('behavior: the lock opens again within one transaction', async () => {
      const calls = [depositHook(vault, token, 10n, 10n), depositHook(vault, token, 20n, 20n)].map(
        (hook) => ({ target: agent.address, value: 0n, callData: executorCall(hook) }),
      );
      const batch = encodeAbiParameters(
        [
          {
            type: 'tuple[]',
            components: [
              { name: 'target', type: 'address' },
              { name: 'value', type: 'uint256' },
              { name: 'callData', type: 'bytes' },
            ],
          },
        ],
        [calls],
      );
      const data = encode(yieldVaultAccountAbi, 'execute', [`0x01${'00'.repeat(31)}`, batch]);
      expect((await send(data)).status).toBe('success');
      expect(await balance(vault)).toBe(30n);
    });
  });

  it('attack: an out-of-gas hook reverts everything (63/64)', async () => {
    const data = executorCall(depositHook(vault, token, 10n, 10n), depositHook(vault, token, 10n, 10n));
    const gas = await chain.client.estimateGas({ account: agent, to: agent.address, data });
    expect((await send(data, gas - 30_000n)).status).toBe('reverted');
    expect([await balance(vault), await allowance(token, vault)]).toEqual([0n, 0n]);
  });

  it('behavior: is an executor with the configured paymaster, USDC and cap', async () => {
    const read = (functionName: 'paymaster' | 'usdc' | 'allowanceCap') =>
      chain.read(localContracts.executor, yieldExecutorAbi, functionName);
    expect(await read('paymaster')).toBe(localContracts.paymaster);
    expect(await read('usdc')).toBe(chain.usdc);
    expect(await read('allowanceCap')).toBe(paymasterAllowanceCaps[chain.chainId]);
    const isModuleType = (type: bigint) =>
      chain.read(localContracts.executor, yieldExecutorAbi, 'isModuleType', [type]);
    expect([await isModuleType(1n), await isModuleType(2n)]).toEqual([false, true]);
    const isInitialized = (account: Address) =>
      chain.read(localContracts.executor, yieldExecutorAbi, 'isInitialized', [account]);
    expect([await isInitialized(agent.address), await isInitialized(operator.address)]).toEqual([
      true,
      false,
    ]);
  });

  it('error: UnsupportedChain when created elsewhere', async () => {
    const elsewhere = await startAnvil({ chainId: 31_337 });
    try {
      const client = createPublicClient({ transport: http(elsewhere.rpcUrl) });
      const data = encodeDeployData({
        abi: yieldExecutorAbi,
        bytecode: yieldExecutorBytecode,
        args: [localContracts.paymaster],
      });
      expect(await revertOf({ ...chain, client } as never, { data })).toEqual(['UnsupportedChain', 31_337n]);
    } finally {
      await elsewhere.stop();
    }
  });
});
