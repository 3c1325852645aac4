import { canonical, suite } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import { createPublicClient, encodeAbiParameters, http, parseAbiParameters, size, type Hex } from 'viem';
import { approveOne, initCalldata, startSuiteChain, type SuiteChain } from '../../test/start-suite-chain.js';
import { localAddressBook } from '../verify/address-book/local-address-book.js';
import { describeDelegation } from './describe-delegation.js';
import { NodeFailedError, UnknownChainError } from './errors.js';

const options = { addressBook: localAddressBook };
const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const modules = [
  { type: 'validator', address: suite.validator, known: true },
  { type: 'executor', address: suite.executor, known: true },
];
const paymaster = {
  spender: suite.paymaster,
  name: 'paymaster (own)',
  ours: true,
  amount: 20_000_000n,
};
const usdc = canonical.usdc[8453];
let chain: SuiteChain;

beforeAll(async () => {
  chain = await startSuiteChain();
}, 60_000);
afterAll(() => chain.stop());

/** Code that answers every call with the same bytes. */
const answering = (bytes: Hex): Hex => {
  const length = size(bytes).toString(16).padStart(4, '0');
  // PUSH2 length, PUSH1 where the bytes begin, PUSH0, CODECOPY; PUSH2 length, PUSH0, RETURN; the bytes.
  return `0x61${length}600c5f3961${length}5ff3${bytes.slice(2)}`;
};

describe('describeDelegation', () => {
  it('default: a wallet that is set up', async () => {
    await chain.send('set-up', { delegate: suite.account, data: initCalldata });
    const wallet = await chain.fund('set-up');
    expect(await describeDelegation(chain.rpc, wallet, options)).toEqual({
      wallet,
      chainId: 8453,
      delegation: { kind: 'ours', implementation: suite.account, missing: [] },
      modules,
      modulesComplete: true,
      allowances: [paymaster],
      nonce: { latest: 2, pending: 2 },
      ethWei: 10n ** 18n,
      usdcBaseUnits: 0n,
    });
  });

  it('behavior: an address on which nothing ever was', async () => {
    expect(await describeDelegation(chain.rpc, testAccount('fresh').address, options)).toMatchObject({
      delegation: { kind: 'none' },
      modules: [],
      allowances: [],
      nonce: { latest: 0, pending: 0 },
      ethWei: 0n,
    });
  });

  it('behavior: ours, never initialised', async () => {
    await chain.send('bare', { delegate: suite.account });
    const { delegation } = await describeDelegation(chain.rpc, testAccount('bare').address, options);
    expect(delegation).toEqual({
      kind: 'ours',
      implementation: suite.account,
      missing: ['validator', 'executor'],
    });
  });

  it('behavior: a delegation to nowhere, the modules and allowances that stayed behind', async () => {
    const nowhere = '0x00000000383e8cBe298514674Ea60Ee1d1de50ac';
    await chain.send('ghost', { delegate: suite.account, data: initCalldata });
    await chain.send('ghost', { delegate: nowhere });
    await chain.send('ghost', { to: usdc, data: approveOne(permit2) });
    const report = await describeDelegation(chain.rpc, testAccount('ghost').address, options);
    expect(report).toMatchObject({
      delegation: { kind: 'ghost', implementation: nowhere, name: 'Biconomy Nexus (MEE 2.1)' },
      modules,
    });
    expect(report.allowances).toEqual([
      paymaster,
      { spender: permit2, name: 'Permit2', ours: false, amount: 1_000_000n },
    ]);
  });

  it('behavior: an implementation that is a delegation itself runs nothing', async () => {
    await chain.send('first', { delegate: suite.account });
    await chain.send('second', { delegate: testAccount('first').address });
    const { delegation } = await describeDelegation(chain.rpc, testAccount('second').address, options);
    expect(delegation.kind).toBe('ghost');
  });

  it('behavior: a foreign implementation, with what it says of itself', async () => {
    const other = testAccount('other implementation').address;
    const list = encodeAbiParameters(parseAbiParameters('address[], address'), [[permit2], permit2]);
    await chain.setCode(other, answering(list));
    await chain.send('foreign', { delegate: other });
    const { delegation } = await describeDelegation(chain.rpc, testAccount('foreign').address, options);
    expect(delegation).toEqual({
      kind: 'foreign',
      implementation: other,
      name: null,
      accountId: null,
      modules: { validators: [permit2], executors: [permit2] },
    });
  });

  it.each([
    ['a name', 'vendor.account.1.0.0', 'vendor.account.1.0.0'],
    ['a name that commands a terminal', 'vendor\u001b[2J', null],
    ['a name without end', 'x'.repeat(65), null],
  ])('behavior: a foreign implementation that gives itself %s', async (name, said, shown) => {
    const other = testAccount(`implementation with ${name}`).address;
    await chain.setCode(other, answering(encodeAbiParameters(parseAbiParameters('string'), [said])));
    await chain.send(`foreign with ${name}`, { delegate: other });
    const wallet = testAccount(`foreign with ${name}`).address;
    const { delegation } = await describeDelegation(chain.rpc, wallet, options);
    expect(delegation).toMatchObject({ kind: 'foreign', accountId: shown, modules: null });
  });

  it('behavior: a foreign implementation that burns all gas hides nothing', async () => {
    const burner = testAccount('burner').address;
    await chain.setCode(burner, '0x5b5f56');
    await chain.send('burnt', { to: usdc, data: approveOne(permit2), delegate: burner });
    const batching = createPublicClient({
      ...chain,
      transport: http(chain.rpcUrl),
      batch: { multicall: true },
    });
    const report = await describeDelegation(batching, testAccount('burnt').address, options);
    expect(report.delegation).toMatchObject({ kind: 'foreign', accountId: null, modules: null });
    expect(report.allowances).toHaveLength(1);
  });

  it('behavior: a contract', async () => {
    expect((await describeDelegation(chain.rpc, usdc, options)).delegation).toEqual({ kind: 'contract' });
  });

  it('error: UnknownChainError', async () => {
    const book = { deployments: [], tokens: [] };
    const described = describeDelegation(chain.rpc, usdc, { addressBook: book });
    await expect(described).rejects.toThrow(UnknownChainError);
  });

  it('error: NodeFailedError, which says nothing of the URL', async () => {
    const transport = http('http://127.0.0.1:1/secret-key', { retryCount: 0 });
    const failed = describeDelegation(createPublicClient({ transport }), usdc, options);
    await expect(failed).rejects.toThrow(NodeFailedError);
    await expect(failed).rejects.not.toThrow(/secret|127/);
  });
});
