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
import {
  allowanceOf,
  approvePaymasterHook,
  balanceOf,
  configuredAgent,
  depositHook,
  executorCall,
  redeemHook,
  signedOp,
  singleCall,
} from '../support/account.js';
import { handleOpsCall } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import { entryPoint, localContracts, operator, startAnvil, useTestChain } from '../support/chain.js';
import { hooksRevert, runHooks, sendToSelf } from '../support/modules.js';
import { decodeRevert, revertOf } from '../support/reverts.js';
import { deployHostileVault, deployToken, deployVault, mint } from '../support/vaults.js';

const { account, executor, paymaster } = localContracts;

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

  it('approve paymaster: up to the cap', async () => {
    for (const amount of [100_000_000n, 5n, 0n]) {
      await run(approvePaymasterHook(amount));
      expect(await allowanceOf(chain, chain.usdc, agent.address, paymaster)).toBe(amount);
    }
    const refusal = ['AllowanceAboveCap', 100_000_000n, 100_000_001n];
    expect(await reverts(approvePaymasterHook(100_000_001n))).toEqual(refusal);
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
      ['a short approval', `0x03${'11'.repeat(31)}`],
      ['a rest', concatHex([approvePaymasterHook(1n), '0x03'])],
    ])('error: MalformedEntries for %s', async (_, entries) => {
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
        [executorCall(approvePaymasterHook(1n)), 'AccountUnauthorized'],
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
      const userOp = await signedOp(chain, agent, executorCall(approvePaymasterHook(7n)));
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

  it('behavior: is an executor with the configured paymaster, USDC and cap', async () => {
    const names = ['paymaster', 'usdc', 'allowanceCap'] as const;
    const read = names.map((name) => chain.read(executor, yieldExecutorAbi, name));
    expect(await Promise.all(read)).toEqual([paymaster, chain.usdc, paymasterAllowanceCaps[chain.chainId]]);
    const types = [1n, 2n].map((type) => chain.read(executor, yieldExecutorAbi, 'isModuleType', [type]));
    expect(await Promise.all(types)).toEqual([false, true]);
    const initialized = [agent.address, operator.address].map((owner) =>
      chain.read(executor, yieldExecutorAbi, 'isInitialized', [owner]),
    );
    expect(await Promise.all(initialized)).toEqual([true, false]);
  });

  it('error: UnsupportedChain when created elsewhere', async () => {
    const elsewhere = await startAnvil({ chainId: 31_337 });
    try {
      const client = createPublicClient({ transport: http(elsewhere.rpcUrl) });
      const creation = { abi: yieldExecutorAbi, bytecode: yieldExecutorBytecode, args: [paymaster] } as const;
      const data = encodeDeployData(creation);
      expect(await revertOf({ ...chain, client } as never, { data })).toEqual(['UnsupportedChain', 31_337n]);
    } finally {
      await elsewhere.stop();
    }
  });
});
