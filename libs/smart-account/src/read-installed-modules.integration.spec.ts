import { numberToHex, zeroAddress, type Address } from 'viem';
import { testAccount } from '@yield-vault/testing';
import {
  contracts,
  initCalldata,
  startChain,
  suite,
  type SmartAccountChain,
} from '../test/support/start-chain.js';
import { encodeAccountBatch } from './account-batch.js';
import { accountNamespace, readInstalledModules } from './read-installed-modules.js';
import { readWalletState } from './read-wallet-state.js';
import { encodeUninstallModule } from './uninstall-module.js';

const installed = { validators: [suite.validator], executors: [suite.executor], complete: true };
const none = { validators: [], executors: [], complete: true };
let chain: SmartAccountChain;

beforeAll(async () => {
  chain = await startChain();
}, 60_000);
afterAll(() => chain.stop());

const setStorage = (wallet: Address, slot: bigint, value: bigint) =>
  chain.rpc.request({
    method: 'anvil_setStorageAt',
    params: [wallet, numberToHex(slot, { size: 32 }), numberToHex(value, { size: 32 })],
  } as never);

describe('readInstalledModules', () => {
  it('default: what the setup installed, in two round trips', async () => {
    const wallet = await chain.send('installed', suite.account, initCalldata);
    const before = chain.requests();
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual(installed);
    expect(chain.requests() - before).toBe(2);
  });

  it('behavior: none, in one round trip', async () => {
    const before = chain.requests();
    expect(await readInstalledModules(chain.rpc, testAccount('nobody').address)).toEqual(none);
    expect(chain.requests() - before).toBe(1);
  });

  it('behavior: modules outlive the delegation and count again with the next one', async () => {
    const wallet = await chain.send('dormant', suite.account, initCalldata);
    await chain.send('dormant', zeroAddress, '0x');
    expect((await readWalletState(chain.rpc, contracts, wallet)).kind).toBe('undelegated');
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual(installed);

    await chain.send('dormant', suite.account, '0x');
    expect((await readWalletState(chain.rpc, contracts, wallet)).kind).toBe('configured');
  });

  it('behavior: one batch of the wallet takes both modules out', async () => {
    const wallet = await chain.send('emptied', suite.account, initCalldata);
    const block = await chain.rpc.getBlockNumber({ cacheTime: 0 });
    const batch = encodeAccountBatch([
      { to: wallet, data: encodeUninstallModule('validator', suite.validator) },
      { to: wallet, data: encodeUninstallModule('executor', suite.executor) },
    ]);
    await chain.send('emptied', undefined, batch);
    expect(await readInstalledModules(chain.rpc, wallet)).toEqual(none);
    expect(await readInstalledModules(chain.rpc, wallet, block)).toEqual(installed);
    expect((await readWalletState(chain.rpc, contracts, wallet)).kind).toBe('modules-missing');
  });

  it('behavior: a list that other code made endless is cut off', async () => {
    const wallet = testAccount('planted').address;
    await setStorage(wallet, accountNamespace + 2n, 2n ** 256n - 1n);
    const { executors, complete } = await readInstalledModules(chain.rpc, wallet);
    expect(executors).toHaveLength(16);
    expect(complete).toBe(false);
  });
});
