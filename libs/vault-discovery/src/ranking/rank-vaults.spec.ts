import { InvalidParametersError, UpstreamUnavailableError } from '@yield-vault/protocol';
import { useFakeChain } from '../../test/start-fake-chain.js';
import { shippedRegistry } from '../catalogue/shipped-registry.js';
import { rankVaults, type RankVaultsRequest } from './rank-vaults.js';

jest.setTimeout(60_000);

const stranger = '0x3000000000000000000000000000000000000003';
const hour = 3_600;
const halfHours = (days: number, now = Math.floor(Date.now() / 1_000)) =>
  Array.from({ length: days * 48 }, (_, index) => now - (days * 48 - 1 - index) * 1_800);
const onBase = shippedRegistry().filter(({ chain }) => chain === 'base');
const of = (symbol: string) => onBase.filter(({ asset }) => asset.symbol === symbol);

// A chain that is younger than 30 days is read from its start.
const chain = useFakeChain(() => halfHours(2));

const rank = (overrides: Partial<RankVaultsRequest> = {}) =>
  rankVaults({ rpcUrl: chain.node.rpcUrl, chain: 'base', asset: 'usdc', ...overrides });
const thrown = (overrides: Partial<RankVaultsRequest> = {}): Promise<unknown> =>
  rank(overrides).catch((error: unknown) => error);

describe('rankVaults', () => {
  it('default: every vault of the asset is ranked, or excluded with its reasons', async () => {
    const { vaults, excluded, ...answer } = await rank({ asset: 'USDC' });
    expect(answer).toEqual({ chain: 'base', chainId: 8453, strategy: 'balanced', count: 0 });
    expect(vaults).toEqual([]);
    expect(excluded.map(({ vaultAddress }) => vaultAddress).sort()).toEqual(
      of('USDC')
        .map(({ address }) => address)
        .sort(),
    );
    // This node cannot override state.
    for (const { reasons } of excluded) expect(reasons).toContain('not-simulated');
  });

  it('behavior: reads the last block of each of 720 hours, and the head', async () => {
    chain.times = halfHours(40);
    await rank({ vaults: [stranger] });
    const head = chain.times.length - 1;
    const end = chain.times[head]! - (chain.times[head]! % hour);
    const expected = Array.from({ length: 720 }, (_, index) =>
      chain.times.findLastIndex((t) => t < end - index * hour),
    );
    const read = [...new Set(chain.multicalls.map(({ block }) => block))];
    expect(read.sort((a, b) => a - b)).toEqual([head, ...expected].sort((a, b) => a - b));
  });

  it('behavior: an address without a vault is excluded', async () => {
    const { respond } = chain;
    chain.respond = (target, name, block) => (target === stranger ? undefined : respond(target, name, block));
    const { excluded } = await rank({ vaults: [stranger] });
    const reasons = ['asset() does not respond: not an ERC-4626 vault'];
    expect(excluded).toEqual([{ vaultAddress: stranger, name: stranger, reasons }]);
  });

  it('error: a node without archive state is found at the oldest hour', async () => {
    chain.times = halfHours(40);
    chain.stateSince = chain.times.length - 100;
    const error = await thrown();
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({
      details: { dependency: 'rpc:base', reason: 'NO_ARCHIVE_STATE' },
      retryable: false,
      nextAction: 'Use the rpcUrl of an archive node.',
    });
    expect(new Set(chain.multicalls.map(({ block }) => block)).size).toBe(1);
  });

  it('error: UpstreamUnavailableError, while the node is down', async () => {
    chain.node.setFault('http-500');
    const error = await thrown();
    expect(error).toBeInstanceOf(UpstreamUnavailableError);
    expect(error).toMatchObject({ details: { dependency: 'rpc:base' }, retryable: true });
    expect(error).not.toHaveProperty('details.reason');
  });

  it.each([
    ['the node of another chain', {}],
    ['a text that is no URL', { rpcUrl: 'localhost' }],
  ])('error: InvalidParametersError for %s', async (_, wrong) => {
    chain.chainId = 1;
    const error = await thrown(wrong);
    expect(error).toBeInstanceOf(InvalidParametersError);
    expect(error).toMatchObject({ details: { violations: [{ field: 'rpcUrl' }] } });
  });

  it('error: the reason of an aborted signal', async () => {
    const stop = new AbortController();
    const ranking = thrown({ signal: stop.signal });
    stop.abort(new Error('no time'));
    expect(await ranking).toMatchObject({ message: 'no time' });
  });
});
