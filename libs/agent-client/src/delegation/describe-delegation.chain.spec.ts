import { chainFacts, walletContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import { createPublicClient, encodeFunctionData, http } from 'viem';
import {
  initCalldataOf,
  installModule,
  plantValidator,
  startContractsChain,
  type ContractsChain,
} from '../../test/start-contracts-chain.js';
import { addressBook, ofCircle } from '../../test/support/book.js';
import { NodeFailedError } from '../errors.js';
import {
  describeDelegation,
  requireKnownModules,
  UnknownChainError,
  UnknownModulesError,
} from './describe-delegation.js';

const options = { addressBook };
const usdc = chainFacts(8453).usdc.address;
let chain: ContractsChain;

beforeAll(async () => {
  chain = await startContractsChain();
}, 60_000);
afterAll(() => chain.stop());

const modules = [
  { type: 'validator', address: walletContracts.validator, isDefault: true, known: true },
  { type: 'executor', address: walletContracts.executor, isDefault: true, known: true },
];
const allowances = [{ spender: ofCircle.paymaster.address, amount: 20_000_000n }];

describe('describeDelegation', () => {
  it('default: a wallet that is set up', async () => {
    await chain.send('set-up', { delegate: walletContracts.account, data: initCalldataOf('set-up') });
    const wallet = testAccount('set-up').address;
    expect(await describeDelegation(chain.rpc, wallet, options)).toEqual({
      wallet,
      chainId: 8453,
      delegation: { kind: 'ours', implementation: walletContracts.account },
      modules,
      modulesComplete: true,
      allowances,
    });
  });

  it('behavior: without a default module that was removed', async () => {
    const args = [2n, walletContracts.executor, '0x'] as const;
    const data = encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'uninstallModule', args });
    await chain.send('reduced', { delegate: walletContracts.account, data });
    const { address } = testAccount('reduced');
    expect((await describeDelegation(chain.rpc, address, options)).modules).toEqual([modules[0]]);
    await requireKnownModules(chain.rpc, address, options);
  });

  it('behavior: an unknown implementation, and the module and allowance that remain', async () => {
    const unknown = testAccount('unknown implementation').address;
    await chain.send('moved', { delegate: walletContracts.account, data: initCalldataOf('moved') });
    const further = await installModule(chain, 'moved', 'executor');
    await chain.send('moved', { delegate: unknown });
    expect(await describeDelegation(chain.rpc, testAccount('moved').address, options)).toMatchObject({
      delegation: { kind: 'unknown', implementation: unknown },
      modules: [{ type: 'executor', address: further, isDefault: false, known: false }],
      allowances,
    });
  });

  it('error: UnknownChainError', async () => {
    const book = { deployments: [], tokens: [] };
    await expect(describeDelegation(chain.rpc, usdc, { addressBook: book })).rejects.toThrow(
      UnknownChainError,
    );
  });

  it('error: NodeFailedError, without the URL', async () => {
    const transport = http('http://127.0.0.1:1/secret-key', { retryCount: 0 });
    const failed = describeDelegation(createPublicClient({ transport }), usdc, options);
    await expect(failed).rejects.toThrow(NodeFailedError);
    await expect(failed).rejects.not.toThrow(/secret|127/);
  });
});

describe('requireKnownModules', () => {
  it('error: UnknownModulesError for a validator in the storage of a plain account', async () => {
    const validator = await plantValidator(chain, 'planted');
    const { address } = testAccount('planted');
    const checked = requireKnownModules(chain.rpc, address, options);
    await expect(checked).rejects.toThrow(UnknownModulesError);
    await expect(checked).rejects.toMatchObject({ code: 'UNKNOWN_MODULES', modules: [validator] });
  });
});
