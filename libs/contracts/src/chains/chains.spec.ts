import { type Address, getAddress, keccak256, zeroAddress } from 'viem';
import * as viemChains from 'viem/chains';
import { eurc, usdc } from 'viem/tokens';
import { localContracts, paymasterDeployment } from '../address-book.js';
import type { ChainFacts, TokenFacts } from './chain-facts.js';
import { chainFacts, findChainFacts, knownChains, usdcDomain } from './chains.js';

const addressBooks: Readonly<Record<string, Readonly<Record<number, Address>>>> = {
  USDC: usdc.addresses,
  EURC: eurc.addresses,
};
const chains = knownChains.map((facts) => [facts.key, facts] as const);
const tokensOf = ({ usdc, wrappedNative, tokens }: ChainFacts): readonly TokenFacts[] => [
  usdc,
  wrappedNative,
  ...tokens,
];
const distinct = (values: readonly unknown[]) => new Set(values).size === values.length;

describe('knownChains', () => {
  it('default: each id, key and name once', () => {
    for (const fact of ['chainId', 'key', 'name', 'entryPointCodeHash'] as const)
      expect(distinct(knownChains.map((facts) => facts[fact]))).toBe(true);
  });

  it.each(chains)('behavior: %s has what viem knows about it', (_, facts) => {
    const known = Object.values(viemChains).find(({ id }) => id === facts.chainId)!;
    expect(facts).toMatchObject({ name: known.name, explorerUrl: known.blockExplorers!.default.url });
    expect(facts.isTestnet).toBe(known.testnet);
    const { gasPriceOracle } = (known.contracts ?? {}) as { gasPriceOracle?: { address: Address } };
    expect(facts.l1FeeOracle).toBe(gasPriceOracle?.address);
    expect(facts.wrappedNative.symbol).toBe(`W${known.nativeCurrency.symbol}`);
    for (const { symbol, address } of tokensOf(facts))
      if (symbol in addressBooks)
        expect([symbol, addressBooks[symbol]![facts.chainId]]).toEqual([symbol, address]);
  });

  it.each(chains)('behavior: %s is well-formed', (_, facts) => {
    const tokens = tokensOf(facts);
    const addresses = [
      ...tokens.flatMap(({ address, price }) => [address, price.feed]),
      ...[facts.sequencerFeed, facts.l1FeeOracle, facts.circlePaymaster].filter((each) => each !== undefined),
    ];
    expect(addresses).toEqual(addresses.map((each) => getAddress(each)));
    expect(distinct(addresses)).toBe(true);
    for (const { price } of tokens) {
      expect(price.description).toMatch(/^\w+ \/ USD$/);
      expect(price.heartbeatSeconds).toBeGreaterThanOrEqual(60);
      expect(price.heartbeatSeconds).toBeLessThanOrEqual(86_400);
    }
    const { nativeUsd, operationCeiling, highestCeiling } = facts.paymaster;
    expect(nativeUsd.least).toBeLessThan(nativeUsd.most);
    expect(operationCeiling).toBeLessThanOrEqual(highestCeiling);
  });

  it('behavior: every chain has its own paymaster', () => {
    const owner = zeroAddress;
    expect(
      distinct(knownChains.map((facts) => keccak256(paymasterDeployment(facts, { owner }).initCode))),
    ).toBe(true);
    expect(distinct(knownChains.map(({ chainId }) => localContracts(chainId).paymaster))).toBe(true);
  });
});

describe('chainFacts', () => {
  it('error: UnsupportedChainError', () => {
    expect(findChainFacts(31_337)).toBeUndefined();
    expect(() => chainFacts(31_337)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_CHAIN' }));
  });
});

describe('usdcDomain', () => {
  it('default: of the main networks, and another one of the test networks', () => {
    expect(usdcDomain(8_453)).toEqual({ name: 'USD Coin', version: '2' });
    expect(usdcDomain(84_532)).toEqual({ name: 'USDC', version: '2' });
  });
});
