import { walletContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  encodeAbiParameters,
  encodeFunctionData,
  numberToHex,
  pad,
  parseAbiParameters,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { testAccount } from '@yield-vault/testing';
import { contracts, startChain, type SmartAccountChain } from '../test/support/start-chain.js';
import { accountNamespace, readInstalledModules } from './read-installed-modules.js';
import { readWalletState } from './wallet-state.js';
import { encodeInitializeAccount, moduleTypes, type ModuleType } from './wallet-calls.js';

const none = { removedDefaults: [], validators: [], executors: [], complete: true };
const removed = { ...none, removedDefaults: ['validator', 'executor'] };
const further = testAccount('further executor').address;
const installed = { ...none, executors: [further] };
const installFurther = encodeFunctionData({
  abi: yieldVaultAccountAbi,
  functionName: 'installModule',
  args: [moduleTypes.executor, further, '0x'],
});
let chain: SmartAccountChain;

beforeAll(async () => {
  chain = await startChain();
  // Returns true for every call, so it may be installed as anything.
  await chain.rpc.request({ method: 'anvil_setCode', params: [further, '0x60015f5260205ff3'] } as never);
}, 60_000);
afterAll(() => chain.stop());

const setStorage = (wallet: Address, slot: bigint, value: bigint) =>
  chain.rpc.request({
    method: 'anvil_setStorageAt',
    params: [wallet, numberToHex(slot, { size: 32 }), numberToHex(value, { size: 32 })],
  } as never);

/** One batch call of a wallet to itself that removes both default modules. */
function removeDefaults(wallet: Address): Hex {
  const executions = (['validator', 'executor'] as const satisfies readonly ModuleType[]).map((type) => ({
    target: wallet,
    value: 0n,
    callData: encodeFunctionData({
      abi: yieldVaultAccountAbi,
      functionName: 'uninstallModule',
      args: [moduleTypes[type], walletContracts[type], '0x'],
    }),
  }));
  const batch = encodeAbiParameters(parseAbiParameters('(address target, uint256 value, bytes callData)[]'), [
    executions,
  ]);
  const mode = pad('0x01', { dir: 'right', size: 32 });
  return encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'execute', args: [mode, batch] });
}

describe('readInstalledModules', () => {
  it('default: the modules beside the default ones, in two round trips', async () => {
    const wallet = await chain.send('installed', walletContracts.account, installFurther);
    const before = chain.requests();
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual(installed);
    expect(chain.requests() - before).toBe(2);
  });

  it('behavior: none, in one round trip, of an unused address and of a wallet that is set up', async () => {
    const wallet = await chain.send('set up', walletContracts.account, '0x');
    const before = chain.requests();
    expect(await readInstalledModules(chain.rpc, testAccount('nobody').address)).toEqual(none);
    expect(chain.requests() - before).toBe(1);
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual(none);
  });

  it('behavior: modules and removals outlive the delegation and count again with the next one', async () => {
    const wallet = await chain.send('dormant', walletContracts.account, installFurther);
    await chain.send('dormant', undefined, removeDefaults(wallet));
    await chain.send('dormant', zeroAddress, '0x');
    expect((await readWalletState(chain.rpc, contracts, wallet)).kind).toBe('undelegated');
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual({ ...removed, executors: [further] });

    await chain.send('dormant', walletContracts.account, '0x');
    expect((await readWalletState(chain.rpc, contracts, wallet)).kind).toBe('modules-missing');
  });

  it('behavior: one batch of the wallet removes both default modules, initializeAccount restores them', async () => {
    const wallet = await chain.send('emptied', walletContracts.account, '0x');
    const block = await chain.rpc.getBlockNumber({ cacheTime: 0 });
    await chain.send('emptied', undefined, removeDefaults(wallet));
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual(removed);
    expect(await readInstalledModules(chain.rpc, wallet, block)).toEqual(none);
    expect(await readWalletState(chain.rpc, contracts, wallet)).toMatchObject({
      kind: 'modules-missing',
      validatorInstalled: false,
      executorInstalled: false,
    });

    await chain.send('emptied', undefined, encodeInitializeAccount());
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual(none);
    expect((await readWalletState(chain.rpc, contracts, wallet)).kind).toBe('configured');
  });

  it('behavior: a list that other code made endless is cut off', async () => {
    const wallet = testAccount('planted').address;
    await setStorage(wallet, accountNamespace + 2n, 2n ** 256n - 1n);
    const { executors, complete } = await readInstalledModules(chain.rpc, wallet);
    expect(executors).toHaveLength(16);
    expect(complete).toBe(false);
  });
});
