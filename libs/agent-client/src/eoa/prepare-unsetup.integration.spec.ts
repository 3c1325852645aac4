import { canonical, suite, yieldVaultAccountAbi } from '@yield-vault/contracts';
import { InvalidParametersError } from '@yield-vault/protocol';
import { testAccount, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import { encodeFunctionData, erc20Abi, zeroAddress, type Address } from 'viem';
import { approveOne, initCalldata, startSuiteChain, type SuiteChain } from '../../test/start-suite-chain.js';
import type { AgentSigner } from '../sign/signer.js';
import { extendAddressBook } from '../verify/address-book/extend-address-book.js';
import { localAddressBook } from '../verify/address-book/local-address-book.js';
import { describeDelegation } from './describe-delegation.js';
import { TransactionInFlightError, UnsetupRefusedError } from './errors.js';
import { prepareUnsetup } from './prepare-unsetup.js';
import { signUnsetup } from './sign-unsetup.js';
import type { UnsetupOptions } from './types.js';

const options = { addressBook: localAddressBook };
const usdc = canonical.usdc[8453];
const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const nowhere: Address = '0x00000000000000000000000000000000000000fe';
let chain: SuiteChain;

beforeAll(async () => {
  chain = await startSuiteChain();
}, 60_000);
afterAll(() => chain.stop());

const setUp = (name: string) => chain.send(name, { delegate: suite.account, data: initCalldata });
const addressOf = (name: string) => testAccount(name).address;
const describeWallet = (name: string) => describeDelegation(chain.rpc, addressOf(name), options);

/** Prepare, sign and send an un-setup. @returns the kinds of its transactions, and what it cost */
async function unsetUp(name: string, signer: AgentSigner = testAccount(name), more: UnsetupOptions = {}) {
  const wallet = await chain.fund(name);
  const unsetup = await prepareUnsetup(chain.rpc, wallet, { ...options, ...more });
  const statuses = await chain.sendRaw(await signUnsetup(signer, unsetup));
  expect(statuses.filter((status) => status !== 'success')).toEqual([]);
  return {
    ...unsetup,
    types: unsetup.steps.map(({ transaction }) => transaction.type),
    spent: 10n ** 18n - (await chain.rpc.getBalance({ address: wallet })),
  };
}

async function expectClean(name: string) {
  const report = await describeWallet(name);
  expect(report).toMatchObject({ delegation: { kind: 'none' }, modules: [], modulesComplete: true });
  expect(report.allowances.filter(({ ours }) => ours)).toEqual([]);
  const code = await chain.rpc.getCode({ address: addressOf(name) });
  expect(code ?? '0x').toBe('0x');
  const args = [addressOf(name), suite.paymaster] as const;
  expect(
    await chain.rpc.readContract({ address: usdc, abi: erc20Abi, functionName: 'allowance', args }),
  ).toBe(0n);
}

describe('prepareUnsetup', () => {
  it.each<[string, (name: string) => AgentSigner]>([
    ['viem', (name) => testAccount(name)],
    ['ethers', (name) => new Wallet(testKey(name))],
  ])(
    'default: two transactions signed with %s undo a setup, which can be done again',
    async (library, signer) => {
      const name = `signed with ${library}`;
      await setUp(name);
      const { types, maxCostWei, missingWei, spent, remains } = await unsetUp(name, signer(name));
      expect(types).toEqual(['eip1559', 'eip7702']);
      await expectClean(name);
      expect(spent).toBeLessThanOrEqual(maxCostWei);
      expect({ missingWei, remains }).toEqual({ missingWei: 0n, remains: [] });

      await setUp(name);
      expect((await describeWallet(name)).delegation).toMatchObject({ kind: 'ours', missing: [] });
      await unsetUp(name, signer(name));
      await expectClean(name);
    },
  );

  it('behavior: viem and ethers sign the same bytes', async () => {
    await setUp('same bytes');
    const unsetup = await prepareUnsetup(chain.rpc, addressOf('same bytes'), options);
    expect(await signUnsetup(testAccount('same bytes'), unsetup)).toEqual(
      await signUnsetup(new Wallet(testKey('same bytes')), unsetup),
    );
  });

  it('behavior: nothing to take back', async () => {
    await chain.fund('plain');
    expect(await unsetUp('plain')).toMatchObject({ steps: [], remains: [], maxCostWei: 0n, missingWei: 0n });
  });

  it('behavior: modules that stayed behind a revoked delegation are taken out', async () => {
    await setUp('dormant');
    await chain.send('dormant', { delegate: zeroAddress });
    expect((await unsetUp('dormant')).types).toEqual(['eip7702', 'eip7702']);
    await expectClean('dormant');
    // Delegated again, the wallet starts from nothing.
    await chain.send('dormant', { delegate: suite.account });
    expect((await describeWallet('dormant')).delegation).toMatchObject({
      missing: ['validator', 'executor'],
    });
  });

  it('behavior: never initialised, with an allowance: one transaction', async () => {
    await chain.send('bare', { to: usdc, data: approveOne(suite.paymaster), delegate: suite.account });
    expect((await unsetUp('bare')).types).toEqual(['eip7702']);
    await expectClean('bare');
  });

  it('behavior: an allowance alone: one ordinary transaction', async () => {
    await chain.send('allowing', { to: usdc, data: approveOne(suite.paymaster) });
    expect((await unsetUp('allowing')).types).toEqual(['eip1559']);
    await expectClean('allowing');
  });

  it('behavior: a delegation to nowhere is cleared, with all that was left behind', async () => {
    await chain.send('ghost', { delegate: nowhere });
    expect((await unsetUp('ghost')).types).toEqual(['eip7702']);
    await expectClean('ghost');

    await setUp('full ghost');
    await chain.send('full ghost', { delegate: nowhere });
    expect((await unsetUp('full ghost')).types).toEqual(['eip7702', 'eip7702']);
    await expectClean('full ghost');
  });

  it('behavior: allowances of several paymasters', async () => {
    const [deployment] = localAddressBook.deployments;
    const second = { ...deployment!, paymaster: { ...deployment!.paymaster, address: permit2 as Address } };
    const addressBook = extendAddressBook(localAddressBook, { deployments: [second] });
    const allowBoth = async (name: string, delegate?: Address) => {
      await chain.send(name, {
        to: usdc,
        data: approveOne(suite.paymaster),
        ...(delegate ? { delegate } : {}),
      });
      await chain.send(name, { to: usdc, data: approveOne(permit2) });
      const { types } = await unsetUp(name, testAccount(name), { addressBook });
      expect((await describeWallet(name)).allowances).toEqual([]);
      await expectClean(name);
      return types;
    };
    expect(await allowBoth('two, ours', suite.account)).toEqual(['eip1559', 'eip7702']);
    expect(await allowBoth('two, ghost', nowhere)).toEqual(['eip1559', 'eip7702']);
    expect(await allowBoth('two, none')).toEqual(['eip1559', 'eip1559']);
  });

  it('behavior: what other software made stays, unless it is told otherwise', async () => {
    await setUp('foreign');
    await chain.send('foreign', { delegate: canonical.multicall3 });
    await chain.send('foreign', { to: usdc, data: approveOne(permit2) });
    const { types, remains } = await unsetUp('foreign');
    expect(types).toEqual(['eip1559']);
    expect(remains).toEqual([
      `the delegation to ${canonical.multicall3}, which other software made`,
      `the validator module ${suite.validator}, which counts again with a delegation to our account`,
      `the executor module ${suite.executor}, which counts again with a delegation to our account`,
      `Permit2 ${permit2} may take 1 USDC, which other software allowed`,
    ]);
    const kept = await describeWallet('foreign');
    expect(kept.delegation.kind).toBe('foreign');
    expect(kept.allowances).toHaveLength(1);

    const revoked = await unsetUp('foreign', undefined, { revokeForeign: true });
    expect(revoked.types).toEqual(['eip7702', 'eip7702']);
    expect(revoked.remains).toHaveLength(1);
    await expectClean('foreign');
  });

  it('behavior: says how much ether is missing', async () => {
    await setUp('poor');
    const { address } = testAccount('poor');
    await chain.setBalance(address, 1n);
    const { maxCostWei, missingWei } = await prepareUnsetup(chain.rpc, address, options);
    expect(missingWei).toBe(maxCostWei - 1n);
  });

  it('error: UnsetupRefusedError for a module that does not let go', async () => {
    // Says yes to everything but onUninstall, at which it reverts.
    const clinging = addressOf('clinging module');
    await chain.setCode(clinging, '0x5f3560e01c638a91b0e314601857600160005260206000f35b5f5ffd');
    await setUp('stuck');
    const args = [1n, clinging, '0x'] as const;
    const data = encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'installModule', args });
    expect((await chain.send('stuck', { data })).status).toBe('success');
    expect((await describeWallet('stuck')).modules).toContainEqual({
      type: 'validator',
      address: clinging,
      known: false,
    });
    const prepared = prepareUnsetup(chain.rpc, addressOf('stuck'), options);
    await expect(prepared).rejects.toThrow(UnsetupRefusedError);
    await expect(prepared).rejects.toMatchObject({ code: 'UNSETUP_REFUSED', reason: 'FailedCall' });
  });

  it('behavior: any deployed account of the book takes out what stayed behind', async () => {
    await setUp('elsewhere');
    await chain.send('elsewhere', { delegate: zeroAddress });
    const [deployment] = localAddressBook.deployments;
    const bookOf = (...accounts: readonly Address[]) => ({
      ...localAddressBook,
      deployments: accounts.map((account) => ({ ...deployment!, account })),
    });
    const undeployed = { addressBook: bookOf(nowhere) };
    const { steps, remains } = await prepareUnsetup(chain.rpc, addressOf('elsewhere'), undeployed);
    expect(steps).toHaveLength(1);
    expect(remains).toHaveLength(2);

    const both = { addressBook: bookOf(nowhere, suite.account) };
    expect((await unsetUp('elsewhere', undefined, both)).remains).toEqual([]);
    await expectClean('elsewhere');
  });

  it('error: InvalidParametersError for a contract', async () => {
    await expect(prepareUnsetup(chain.rpc, usdc, options)).rejects.toThrow(InvalidParametersError);
  });

  it('error: TransactionInFlightError', async () => {
    await setUp('in flight');
    const mine = await chain.stopMining();
    await chain.submit('in flight', {});
    const prepared = prepareUnsetup(chain.rpc, addressOf('in flight'), options);
    await expect(prepared).rejects.toThrow(TransactionInFlightError);
    await mine();
  });
});
