import { suite, yieldVaultAccountAbi } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import { encodeFunctionData, zeroAddress } from 'viem';
import { initCalldata, startSuiteChain, type SuiteChain } from '../../test/start-suite-chain.js';
import { localAddressBook } from '../verify/address-book/local-address-book.js';
import { UnknownModulesError } from './errors.js';
import { requireKnownModules } from './require-known-modules.js';

const options = { addressBook: localAddressBook };
let chain: SuiteChain;

beforeAll(async () => {
  chain = await startSuiteChain();
}, 60_000);
afterAll(() => chain.stop());

describe('requireKnownModules', () => {
  it('default: nothing there, or what a setup installed', async () => {
    const { address } = testAccount('settable');
    await requireKnownModules(chain.rpc, address, options);
    await chain.send('settable', { delegate: suite.account, data: initCalldata });
    await requireKnownModules(chain.rpc, address, options);
  });

  it('error: UnknownModulesError for a validator that waits in the storage of a plain account', async () => {
    // Says yes to everything.
    const validator = testAccount('planted validator').address;
    await chain.setCode(validator, '0x60015f5260205ff3');
    const args = [1n, validator, '0x'] as const;
    const data = encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'installModule', args });
    await chain.send('planted', { delegate: suite.account, data });
    await chain.send('planted', { delegate: zeroAddress });

    const { address } = testAccount('planted');
    const checked = requireKnownModules(chain.rpc, address, options);
    await expect(checked).rejects.toThrow(UnknownModulesError);
    await expect(checked).rejects.toMatchObject({ code: 'UNKNOWN_MODULES', modules: [validator] });
  });
});
