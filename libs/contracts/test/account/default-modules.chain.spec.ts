import {
  type Address,
  type Hex,
  type PrivateKeyAccount,
  keccak256,
  numberToHex,
  parseEventLogs,
  stringToHex,
  zeroAddress,
} from 'viem';
import { yieldExecutorAbi } from '../../src/generated/YieldExecutor.js';
import { yieldVaultAccountAbi } from '../../src/generated/YieldVaultAccount.js';
import { bareModuleAbi } from '../generated/BareModule.js';
import { configuredAgent, delegate, initializeCall, signedOp } from '../support/account.js';
import { handleOps } from '../support/bundle.js';
import { entryPoint, localContracts, operator, useTestChain } from '../support/chain.js';
import {
  deployModule,
  install,
  isInstalled,
  removedDefaultsSlot,
  selfRevert,
  sendToSelf,
  slotOf,
  storageNamespace,
  uninstall,
} from '../support/modules.js';
import { poke } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

const validator = 1n;
const executor = 2n;
const defaults = [
  ['validator', validator, localContracts.validator],
  ['executor', executor, localContracts.executor],
] as const;

describe('YieldVaultAccount: default modules', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  beforeEach(async () => {
    agent = await configuredAgent(chain);
  });

  const installed = (type: bigint, module: Address) => isInstalled(chain, agent, type, module);
  const bothInstalled = () => Promise.all(defaults.map(([, type, module]) => installed(type, module)));
  const removed = () => slotOf(chain, agent.address, removedDefaultsSlot);
  const reverts = (data: Hex) => selfRevert(chain, agent, data);
  /** Send to the account itself. @returns the events of its modules */
  const send = async (data: Hex) => {
    const { status, logs } = await sendToSelf(chain, agent, data);
    expect(status).toBe('success');
    return parseEventLogs({ abi: yieldVaultAccountAbi, logs }).map(({ eventName, args }) => [
      eventName,
      args,
    ]);
  };

  it('default: the delegation alone installs them, and operations run', async () => {
    agent = await chain.agent();
    const receipt = await delegate(chain, agent, '0x');
    expect([receipt.status, receipt.logs]).toEqual(['success', []]);
    expect([await bothInstalled(), await removed()]).toEqual([[true, true], 0n]);
    const { outcome } = await handleOps(chain, await poke(chain, agent, { paymasterAndData: '0x' }));
    expect(outcome).toMatchObject({ success: true });
  });

  it('behavior: each is a module of its own type alone', async () => {
    expect(await installed(executor, localContracts.validator)).toBe(false);
    expect(await installed(validator, localContracts.executor)).toBe(false);
    expect(await installed(3n, localContracts.executor)).toBe(false);
    expect(await installed(validator, zeroAddress)).toBe(false);
  });

  it.each(defaults)('behavior: the %s can be removed once and installed once', async (_, type, module) => {
    const already = ['ERC7579AlreadyInstalledModule', type, module];
    expect(await reverts(install(type, module))).toEqual(already);

    expect(await send(uninstall(type, module))).toEqual([
      ['ModuleUninstalled', { moduleTypeId: type, module }],
    ]);
    expect(await bothInstalled()).toEqual([type !== validator, type !== executor]);
    expect(await chain.read(module, yieldExecutorAbi, 'isInitialized', [agent.address])).toBe(false);
    expect(await removed()).toBe(1n << type);
    expect(await reverts(uninstall(type, module))).toEqual(['ERC7579UninstalledModule', type, module]);

    expect(await send(install(type, module))).toEqual([['ModuleInstalled', { moduleTypeId: type, module }]]);
    expect([await bothInstalled(), await removed()]).toEqual([[true, true], 0n]);
    expect(await reverts(install(type, module))).toEqual(already);
  });

  it('behavior: an operation can remove the validator that validated it; an installed one validates again', async () => {
    const removal = await signedOp(chain, agent, uninstall(validator, localContracts.validator));
    expect((await handleOps(chain, removal)).outcome).toMatchObject({ success: true });
    const userOp = await poke(chain, agent);
    expect(await handleOpsRevert(chain, userOp)).toEqual(['AA24 signature error']);
    await send(install(validator, localContracts.validator));
    expect((await handleOps(chain, userOp)).outcome).toMatchObject({ success: true });
  });

  it('behavior: a removal outlives the delegation', async () => {
    for (const [, type, module] of defaults) await send(uninstall(type, module));
    await delegate(chain, agent, '0x', zeroAddress);
    expect(await chain.client.getCode(agent)).toBeUndefined();
    await delegate(chain, agent, '0x');
    expect([await bothInstalled(), await removed()]).toEqual([[false, false], 0b110n]);
  });

  describe('further modules', () => {
    it.each(defaults)('default: beside the default %s', async (_, type, own) => {
      const module = await deployModule(chain);
      expect(await send(install(type, module))).toMatchObject([['ModuleInstalled', { moduleTypeId: type }]]);
      expect((await reverts(install(type, module)))[0]).toBe('ERC7579AlreadyInstalledModule');
      await send(uninstall(type, own));
      expect(await installed(type, module)).toBe(true);
      await send(install(type, own));
      await send(uninstall(type, module));
      expect([await installed(type, module), ...(await bothInstalled())]).toEqual([false, true, true]);
      expect((await reverts(uninstall(type, module)))[0]).toBe('ERC7579UninstalledModule');
    });

    it('error: a module of another type, without code, or that refuses', async () => {
      const module = await deployModule(chain);
      await chain.write(module, bareModuleAbi, 'setRefusesInstall', [true]);
      const { validator: other } = localContracts;
      expect(await reverts(install(executor, other))).toEqual([
        'ERC7579MismatchedModuleTypeId',
        executor,
        other,
      ]);
      expect(await reverts(install(validator, zeroAddress))).toEqual([]);
      expect(await reverts(install(validator, module))).toEqual(['InstallRefused']);
      expect(await reverts(install(9n, module))).toEqual(['ERC7579UnsupportedModuleType', 9n]);
    });
  });

  describe('initializeAccount', () => {
    it('default: installs nothing where nothing was removed', async () => {
      expect(await send(initializeCall())).toEqual([]);
    });

    it.each([
      ['the validator', [defaults[0]]],
      ['the executor', [defaults[1]]],
      ['both', defaults],
    ] as const)('behavior: installs what was removed: %s', async (_, gone) => {
      for (const [, type, module] of gone) await send(uninstall(type, module));
      expect(await send(initializeCall())).toEqual(
        gone.map(([, type, module]) => ['ModuleInstalled', { moduleTypeId: type, module }]),
      );
      expect([await bothInstalled(), await removed()]).toEqual([[true, true], 0n]);
    });

    it('error: AccountInitializerUnauthorized for everybody else, the entry point included', async () => {
      for (const to of [agent.address, localContracts.account]) {
        for (const from of [operator.address, entryPoint]) {
          const refusal = await revertOf(chain, { from, to, data: initializeCall() });
          expect(refusal).toEqual(['AccountInitializerUnauthorized', from]);
        }
      }
    });
  });

  it('behavior: storage stays inside its ERC-7201 namespace', async () => {
    const inner = BigInt(keccak256(stringToHex('yieldvault.account'))) - 1n;
    const outer = BigInt(keccak256(numberToHex(inner, { size: 32 })));
    expect(outer & ~0xffn).toBe(storageNamespace);

    const module = await deployModule(chain);
    for (const type of [validator, executor]) await send(install(type, module));
    await send(uninstall(validator, localContracts.validator));
    const slots = (places: readonly bigint[]) =>
      Promise.all(places.map((place) => slotOf(chain, agent.address, place)));
    // Lengths of the two lists of further modules, then the bits of the removed defaults.
    expect(await slots([0n, 2n, 5n].map((place) => storageNamespace + place))).toEqual([1n, 1n, 0b10n]);
    // An ordinary contract would use these.
    expect(await slots([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n])).toEqual(Array.from({ length: 8 }, () => 0n));
  });
});
