import { walletContracts } from '@yield-vault/contracts';
import { InvalidParametersError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import {
  allowance,
  contracts,
  setupOf,
  startChain,
  type SmartAccountChain,
} from '../test/support/start-chain.js';
import { readWalletState } from './wallet-state.js';

let chain: SmartAccountChain;

beforeAll(async () => {
  chain = await startChain();
}, 60_000);
afterAll(() => chain.stop());

describe('readWalletState', () => {
  it('default: configured, read in one round trip', async () => {
    const owner = await chain.send('configured', walletContracts.account, setupOf('configured'));
    const before = chain.requests();
    expect(await readWalletState(chain.rpc, contracts, owner)).toEqual({
      kind: 'configured',
      implementation: walletContracts.account,
      paymasterAllowance: allowance,
    });
    expect(chain.requests() - before).toBe(1);
  });

  it('behavior: undelegated, before and after anything is on the address', async () => {
    expect(await readWalletState(chain.rpc, contracts, testAccount('fresh').address)).toEqual({
      kind: 'undelegated',
    });
    const used = await chain.send('used', undefined, '0x');
    expect(await readWalletState(chain.rpc, contracts, used)).toEqual({ kind: 'undelegated' });
  });

  it('behavior: a setup whose call reverted leaves the delegation without an allowance', async () => {
    const owner = await chain.send(
      'broken',
      walletContracts.account,
      setupOf('broken', contracts.entryPoint),
    );
    const configured = { kind: 'configured', paymasterAllowance: 0n };
    expect(await readWalletState(chain.rpc, contracts, owner)).toMatchObject(configured);

    await chain.send('broken', undefined, setupOf('broken'));
    expect(await readWalletState(chain.rpc, contracts, owner)).toMatchObject({
      paymasterAllowance: allowance,
    });
  });

  it('behavior: a foreign delegation', async () => {
    const owner = await chain.send('foreign', walletContracts.validator, '0x');
    expect(await readWalletState(chain.rpc, contracts, owner)).toEqual({
      kind: 'foreign-delegation',
      implementation: walletContracts.validator,
    });
  });

  it('behavior: at an earlier block', async () => {
    const blockNumber = await chain.rpc.getBlockNumber({ cacheTime: 0 });
    const owner = await chain.send('earlier', walletContracts.account, '0x');
    expect((await readWalletState(chain.rpc, contracts, owner, blockNumber)).kind).toBe('undelegated');
    expect((await readWalletState(chain.rpc, contracts, owner)).kind).toBe('configured');
  });

  it('error: InvalidParametersError for a contract', async () => {
    await expect(readWalletState(chain.rpc, contracts, contracts.usdc)).rejects.toThrow(
      InvalidParametersError,
    );
  });
});
