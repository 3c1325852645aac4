import { suite, type ContractInspection } from '@yield-vault/contracts';
import { UpstreamUnavailableError, type PrepareRequest, type PrepareResponse } from '@yield-vault/protocol';
import { buildDeposit } from '../../test/support/build-requests.js';
import type { ChainProbe } from '../ports.js';
import { probeSuite, requireSuite } from './require-suite.js';

const faults: readonly ContractInspection[] = [
  { contract: 'account', address: suite.account, status: 'missing' },
];
const request = buildDeposit() as unknown as PrepareRequest;
const prepared = (needsSetup: boolean) => ({
  prepare: () => Promise.resolve({ needsSetup } as PrepareResponse),
});
const up: ChainProbe = { blockNumber: 1, rpc: 'ok', bundler: 'ok' };
const down: ChainProbe = { blockNumber: null, rpc: 'down', bundler: 'ok' };

describe('requireSuite', () => {
  it('default: hands out a setup whose contracts are there', async () => {
    const intents = requireSuite(prepared(true), () => Promise.resolve([]));
    expect(await intents.prepare(request)).toEqual({ needsSetup: true });
  });

  it('error: UpstreamUnavailableError instead of a setup, with the contract and its address', async () => {
    const asked: string[] = [];
    const intents = requireSuite(prepared(true), (key) => {
      asked.push(key);
      return Promise.resolve(faults);
    });
    const error: unknown = await intents.prepare(request).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({
      detail: expect.stringContaining(`account missing at ${suite.account}`) as string,
      details: { dependency: 'contracts:base', contracts: { account: 'missing' } },
      retryAfterSeconds: 60,
    });
    expect(asked).toEqual(['base']);
  });

  it('behavior: a wallet that is set up shows by itself that they are there', async () => {
    const intents = requireSuite(prepared(false), () => Promise.reject(new Error('asked')));
    expect(await intents.prepare(request)).toEqual({ needsSetup: false });
  });
});

describe('probeSuite', () => {
  it.each([
    ['nothing is missing', up, () => Promise.resolve([]), up],
    ['a contract is missing', up, () => Promise.resolve(faults), { ...up, contracts: 'missing' }],
    ['the node is gone again', up, () => Promise.reject(new Error('down')), up],
    ['the node is down', down, () => Promise.resolve(faults), down],
  ])('default: what a probe says when %s', async (_, probe, suiteFaults, expected) => {
    expect(await probeSuite(() => Promise.resolve(probe), suiteFaults)('base')).toEqual(expected);
  });
});
