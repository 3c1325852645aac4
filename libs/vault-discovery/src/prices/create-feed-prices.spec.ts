import { canonical } from '@yield-vault/contracts';
import { encodeAbiParameters, type Hex, numberToHex, parseAbiParameters } from 'viem';
import { readFeed, readsOfFeed, readsPerFeed } from './create-feed-prices.js';
import type { PriceFeed } from './feed-table.js';

const t = 1_790_000_000;
const feed: PriceFeed = {
  asset: canonical.weth[1],
  feed: canonical.ethUsdFeed[1],
  pair: 'ETH / USD',
  heartbeatSeconds: 3_600,
};
const text = (words: string) => encodeAbiParameters([{ type: 'string' }], [words]);
const word = (value: bigint) => numberToHex(value, { size: 32 });
const round = (response: bigint, updatedAt = t): Hex =>
  encodeAbiParameters(parseAbiParameters('uint80, int256, uint256, uint256, uint80'), [
    ...([1n, response, BigInt(updatedAt), BigInt(updatedAt), 1n] as const),
  ]);
const good = round(2_500_00000000n);

describe('readFeed', () => {
  it('default: USD of a feed that matches the table', () => {
    expect(readsOfFeed(feed)).toHaveLength(readsPerFeed);
    expect(readFeed(feed, [text('ETH / USD'), word(8n), good], t)).toEqual({ kind: 'confirmed', usd: 2_500 });
  });

  it('behavior: the spelling of a pair does not matter', () => {
    expect(readFeed(feed, [text('eth/usd'), word(8n), good], t).kind).toBe('confirmed');
  });

  it.each<[string, Hex | undefined]>([
    ['none', undefined],
    ['one that does not decode', '0x1234'],
    ['one below 0', round(-1n)],
    ['one that is too old', round(1n, t - 5_401)],
  ])('behavior: a round that is %s makes a confirmed feed without a price', (_, data) => {
    expect(readFeed(feed, [text('ETH / USD'), word(8n), data], t)).toEqual({ kind: 'confirmed' });
  });

  it.each<[string, (Hex | undefined)[]]>([
    ['nothing', []],
    ['no description', [undefined, word(8n), good]],
    ['an empty description, as an address without code', ['0x', word(8n), good]],
    ['no decimals', [text('ETH / USD'), undefined, good]],
    ['empty decimals', [text('ETH / USD'), '0x', good]],
  ])('behavior: %s is silence', (_, results) => {
    expect(readFeed(feed, results, t)).toEqual({ kind: 'silent' });
  });

  it.each<[string, Hex, Hex]>([
    ['another pair', text('BTC / USD'), word(8n)],
    ['an empty name', text(''), word(8n)],
    ['a name that does not decode', word(2n ** 255n), word(8n)],
    ['too many decimals', text('ETH / USD'), word(37n)],
    ['decimals that do not decode', text('ETH / USD'), '0x08'],
  ])('behavior: %s is another feed', (_, description, decimals) => {
    expect(readFeed(feed, [description, decimals, good], t).kind).toBe('other');
  });
});
