import {
  type Hex,
  type PrivateKeyAccount,
  concatHex,
  erc20Abi,
  keccak256,
  numberToHex,
  parseEventLogs,
  stringToHex,
  zeroAddress,
} from 'viem';
import { yieldExecutorAbi } from '../../src/generated/YieldExecutor.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { bareModuleAbi, bareModuleBytecode } from '../generated/BareModule.js';
import { usdtLikeTokenAbi, usdtLikeTokenBytecode } from '../generated/UsdtLikeToken.js';
import {
  buildUserOp,
  configuredAgent,
  delegate,
  handleOps,
  initializeCall,
  signUserOp,
  singleCall,
} from '../support/account.js';
import { type TestChain, entryPoint, localContracts, operator, startTestChain } from '../support/chain.js';
import {
  install,
  isInstalled,
  removedDefaultsSlot,
  sendToSelf,
  slotOf,
  storageNamespace,
  uninstall,
} from '../support/modules.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

const validator = 1n;
const executor = 2n;
const defaults = [
  ['validator', validator, localContracts.validator],
  ['executor', executor, localContracts.executor],
] as const;

describe('YieldVaultAccount: default modules', () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterAll(() => chain.stop());

  const bothInstalled = async (agent: PrivateKeyAccount) => [
    await isInstalled(chain, agent, validator, localContracts.validator),
    await isInstalled(chain, agent, executor, localContracts.executor),
  ];
  const allowance = (agent: PrivateKeyAccount) =>
    chain.read(chain.usdc, erc20Abi, 'allowance', [agent.address, localContracts.paymaster]);
  const removed = (agent: PrivateKeyAccount) => slotOf(chain, agent.address, removedDefaultsSlot);
  const selfCall = (agent: PrivateKeyAccount, data: Hex) =>
    revertOf(chain, { from: agent.address, to: agent.address, data });
  const moduleEvents = ({ logs }: Awaited<ReturnType<typeof sendToSelf>>) =>
    parseEventLogs({ abi: yieldVaultAccountAbi, logs }).map(({ eventName, args }) => [eventName, args]);
  const poke = async (agent: PrivateKeyAccount, overrides = {}) =>
    signUserOp(
      chain,
      agent,
      await buildUserOp(chain, agent.address, singleCall(operator.address, '0x', 1n), overrides),
    );

  it('default: the delegation alone installs them, and operations run', async () => {
    const agent = await chain.agent();
    const receipt = await delegate(chain, agent, '0x');
    expect([receipt.status, receipt.logs]).toEqual(['success', []]);
    expect(await bothInstalled(agent)).toEqual([true, true]);
    expect(await removed(agent)).toBe(0n);
    const { outcome } = await handleOps(chain, await poke(agent, { paymasterAndData: '0x' }));
    expect(outcome).toMatchObject({ success: true });
  });

  it('behavior: each is a module of its own type alone', async () => {
    const agent = await configuredAgent(chain);
    expect(await isInstalled(chain, agent, executor, localContracts.validator)).toBe(false);
    expect(await isInstalled(chain, agent, validator, localContracts.executor)).toBe(false);
    expect(await isInstalled(chain, agent, 3n, localContracts.executor)).toBe(false);
    expect(await isInstalled(chain, agent, validator, zeroAddress)).toBe(false);
    const names = ['defaultValidator', 'defaultExecutor'] as const;
    expect(
      await Promise.all(names.map((name) => chain.read(agent.address, yieldVaultAccountAbi, name))),
    ).toEqual([localContracts.validator, localContracts.executor]);
  });

  it.each(defaults)('behavior: the %s can be removed once and installed once', async (_, type, module) => {
    const agent = await configuredAgent(chain);
    expect(await selfCall(agent, install(type, module))).toEqual([
      'ERC7579AlreadyInstalledModule',
      type,
      module,
    ]);

    const off = await sendToSelf(chain, agent, uninstall(type, module));
    expect(moduleEvents(off)).toEqual([['ModuleUninstalled', { moduleTypeId: type, module }]]);
    expect(await isInstalled(chain, agent, type, module)).toBe(false);
    expect(await chain.read(module, yieldExecutorAbi, 'isInitialized', [agent.address])).toBe(false);
    expect(await removed(agent)).toBe(1n << type);
    const other = type === validator ? executor : validator;
    expect((await bothInstalled(agent))[Number(other) - 1]).toBe(true);
    expect(await selfCall(agent, uninstall(type, module))).toEqual([
      'ERC7579UninstalledModule',
      type,
      module,
    ]);

    const on = await sendToSelf(chain, agent, install(type, module));
    expect(moduleEvents(on)).toEqual([['ModuleInstalled', { moduleTypeId: type, module }]]);
    expect(await bothInstalled(agent)).toEqual([true, true]);
    expect(await removed(agent)).toBe(0n);
    expect(await selfCall(agent, install(type, module))).toEqual([
      'ERC7579AlreadyInstalledModule',
      type,
      module,
    ]);
  });

  it('behavior: a removed validator validates nothing, an installed one again', async () => {
    const agent = await configuredAgent(chain);
    await sendToSelf(chain, agent, uninstall(validator, localContracts.validator));
    const userOp = await poke(agent);
    expect(await handleOpsRevert(chain, userOp)).toEqual(['AA24 signature error']);
    await sendToSelf(chain, agent, install(validator, localContracts.validator));
    expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
  });

  it('behavior: an operation can remove the validator that validated it', async () => {
    const agent = await configuredAgent(chain);
    const data = uninstall(validator, localContracts.validator);
    const userOp = await signUserOp(chain, agent, await buildUserOp(chain, agent.address, data));
    expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
    expect(await handleOpsRevert(chain, await poke(agent))).toEqual(['AA24 signature error']);
  });

  it('behavior: a removal outlives the delegation', async () => {
    const agent = await configuredAgent(chain);
    for (const [, type, module] of defaults) await sendToSelf(chain, agent, uninstall(type, module));
    expect(await removed(agent)).toBe(0b110n);
    await delegate(chain, agent, '0x', zeroAddress);
    expect(await chain.client.getCode(agent)).toBeUndefined();
    await delegate(chain, agent, '0x');
    expect(await bothInstalled(agent)).toEqual([false, false]);
    expect(await removed(agent)).toBe(0b110n);
  });

  describe('further modules', () => {
    it.each([validator, executor])('default: of type %d, beside the default one', async (type) => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      const agent = await configuredAgent(chain);
      const [, , own] = defaults[type === validator ? 0 : 1];
      const on = await sendToSelf(chain, agent, install(type, module));
      expect(moduleEvents(on)).toMatchObject([['ModuleInstalled', { moduleTypeId: type }]]);
      expect(await selfCall(agent, install(type, module))).toMatchObject({
        0: 'ERC7579AlreadyInstalledModule',
      });
      await sendToSelf(chain, agent, uninstall(type, own));
      expect(await isInstalled(chain, agent, type, module)).toBe(true);
      await sendToSelf(chain, agent, install(type, own));
      await sendToSelf(chain, agent, uninstall(type, module));
      expect(await isInstalled(chain, agent, type, module)).toBe(false);
      expect(await bothInstalled(agent)).toEqual([true, true]);
      expect(await selfCall(agent, uninstall(type, module))).toMatchObject({ 0: 'ERC7579UninstalledModule' });
    });

    it('error: a module of another type, without code, or that refuses', async () => {
      const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
      await chain.write(module, bareModuleAbi, 'setRefusesInstall', [true]);
      const agent = await configuredAgent(chain);
      expect(await selfCall(agent, install(executor, localContracts.validator))).toEqual([
        'ERC7579MismatchedModuleTypeId',
        executor,
        localContracts.validator,
      ]);
      expect(await selfCall(agent, install(validator, zeroAddress))).toEqual([]);
      expect(await selfCall(agent, install(validator, module))).toEqual(['InstallRefused']);
      expect(await selfCall(agent, install(9n, module))).toEqual(['ERC7579UnsupportedModuleType', 9n]);
    });
  });

  describe('initializeAccount', () => {
    it('default: sets the allowance, and installs nothing where nothing was removed', async () => {
      const agent = await chain.agent();
      const receipt = await delegate(chain, agent);
      expect(receipt.status).toBe('success');
      expect(await allowance(agent)).toBe(100_000_000n);
      // The token's Approval alone: the account has nothing to say.
      expect(moduleEvents(receipt)).toEqual([]);
      expect(receipt.logs).toHaveLength(1);
    });

    it('behavior: a repeated setup changes only the allowance, to the requested amount', async () => {
      const agent = await configuredAgent(chain);
      for (const amount of [7n, 0n]) {
        const receipt = await sendToSelf(chain, agent, initializeCall(chain.usdc, { allowance: amount }));
        expect(receipt.status).toBe('success');
        expect(await allowance(agent)).toBe(amount);
      }
      expect(await bothInstalled(agent)).toEqual([true, true]);
    });

    it('behavior: a zero paymaster leaves allowances alone', async () => {
      const agent = await configuredAgent(chain);
      const call = initializeCall(zeroAddress, { paymaster: zeroAddress, allowance: 5n });
      expect((await sendToSelf(chain, agent, call)).status).toBe('success');
      expect(await allowance(agent)).toBe(100_000_000n);
    });

    it.each([
      ['the validator', [defaults[0]]],
      ['the executor', [defaults[1]]],
      ['both', defaults],
    ] as const)('behavior: installs what was removed: %s', async (_, gone) => {
      const agent = await configuredAgent(chain);
      for (const [, type, module] of gone) await sendToSelf(chain, agent, uninstall(type, module));
      const receipt = await sendToSelf(chain, agent, initializeCall(chain.usdc));
      expect(moduleEvents(receipt)).toEqual(
        gone.map(([, type, module]) => ['ModuleInstalled', { moduleTypeId: type, module }]),
      );
      expect(await bothInstalled(agent)).toEqual([true, true]);
      expect(await removed(agent)).toBe(0n);
    });

    it('behavior: replaces an allowance of a USDT-like token', async () => {
      const token = await chain.deploy(usdtLikeTokenAbi, usdtLikeTokenBytecode);
      const agent = await configuredAgent(chain);
      for (const amount of [5n, 9n]) {
        expect((await sendToSelf(chain, agent, initializeCall(token, { allowance: amount }))).status).toBe(
          'success',
        );
        const spender = localContracts.paymaster;
        expect(await chain.read(token, erc20Abi, 'allowance', [agent.address, spender])).toBe(amount);
      }
    });

    it.each(['type 2', 'type 4'])(
      'behavior: when it reverts, the delegation and its modules stay, and a transaction of %s repairs it',
      async (type) => {
        const agent = await chain.agent();
        // A token without code.
        const broken = await delegate(chain, agent, initializeCall(operator.address));
        expect(broken.status).toBe('reverted');
        expect(await chain.client.getCode({ address: agent.address })).toBe(
          concatHex(['0xef0100', localContracts.account]).toLowerCase(),
        );
        expect([await bothInstalled(agent), await allowance(agent)]).toEqual([[true, true], 0n]);
        const repair =
          type === 'type 2' ? sendToSelf(chain, agent, initializeCall(chain.usdc)) : delegate(chain, agent);
        expect((await repair).status).toBe('success');
        expect(await allowance(agent)).toBe(100_000_000n);
      },
    );

    it('error: AccountInitializerUnauthorized for everybody else, the entry point included', async () => {
      const agent = await chain.agent();
      await delegate(chain, agent, '0x');
      for (const to of [agent.address, localContracts.account]) {
        for (const from of [operator.address, entryPoint]) {
          expect(await revertOf(chain, { from, to, data: initializeCall(chain.usdc) })).toEqual([
            'AccountInitializerUnauthorized',
            from,
          ]);
        }
      }
    });
  });

  it('behavior: storage stays inside its ERC-7201 namespace', async () => {
    const inner = BigInt(keccak256(stringToHex('yieldvault.account'))) - 1n;
    const outer = BigInt(keccak256(numberToHex(inner, { size: 32 })));
    expect(outer & ~0xffn).toBe(storageNamespace);

    const module = await chain.deploy(bareModuleAbi, bareModuleBytecode);
    const agent = await configuredAgent(chain);
    for (const type of [validator, executor]) await sendToSelf(chain, agent, install(type, module));
    await sendToSelf(chain, agent, uninstall(validator, localContracts.validator));
    const slots = await Promise.all(
      [0n, 2n, 5n].map((place) => slotOf(chain, agent.address, storageNamespace + place)),
    );
    // Lengths of the two lists of further modules, then the bits of the removed defaults.
    expect(slots).toEqual([1n, 1n, 0b10n]);
    // An ordinary contract would use these.
    for (let index = 0n; index < 8n; index++) expect(await slotOf(chain, agent.address, index)).toBe(0n);
  });
});
