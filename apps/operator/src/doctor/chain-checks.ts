import { createContractCheck, probeBundler, type ActiveChain } from '@yield-vault/chains';
import { chainFacts } from '@yield-vault/contracts';
import { inspectToken } from '@yield-vault/payments';
import { sameHex, silentLogger } from '@yield-vault/protocol';
import { checkVaults, createProber, type RegistryEntry, toTracked } from '@yield-vault/vault-discovery';
import { paymentChains } from '@yield-vault/worker';
import { parseAbi, slice, zeroAddress, zeroHash } from 'viem';
import { judge, type Check } from './check.js';

const lateRoundSeconds = 3_600;
const probedVaults = 20;
// Where Circle's FiatTokenProxy keeps its implementation.
const implementationSlot = '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3';
const abi = parseAbi([
  'function description() view returns (string)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function paused() view returns (bool)',
]);

/** The contracts that wallets use, and USDC. */
export function contractChecks(chain: ActiveChain): readonly Check[] {
  const { key, rpc, usdc: address } = chain;
  return [
    [
      'contracts',
      key,
      'Deploy them (docs/production.md). Another code at their address needs another version of this service.',
      async () => {
        const faults = await createContractCheck({ find: () => chain }, silentLogger).faults(key);
        const named = faults.map(({ contract, status }) => `${contract} ${status}`);
        return judge(named.join(', ') || 'none is missing', faults.length > 0);
      },
    ],
    [
      'USDC',
      key,
      `Set chains.${key}.usdc to Circle's USDC. While Circle pauses it, nothing moves.`,
      async () => {
        const word = await rpc.getStorageAt({ address, slot: implementationSlot });
        const implementation = slice(word!, 12);
        if (!(await rpc.getCode({ address: implementation })))
          return judge(`its implementation ${implementation} has no code`, true);
        const [payable] = paymentChains({ chains: [] }, { all: [chain] });
        const { problems, warnings } = await inspectToken(payable!, zeroAddress);
        const isPaused = await rpc.readContract({ address, abi, functionName: 'paused' });
        const faults = [...problems, ...warnings, ...(isPaused ? ['it is paused'] : [])];
        return judge(faults.join('; ') || address, faults.length > 0);
      },
    ],
  ];
}

/** Bundlers, price feeds and listed vaults of a chain, with a deposit and redeem by simulation. */
export function marketChecks(chain: ActiveChain, registry: readonly RegistryEntry[]): readonly Check[] {
  const { key, chainId, rpc, bundlers } = chain;
  const { usdc, wrappedNative, tokens } = chainFacts(chainId);
  const assets = tokens.filter((token) =>
    registry.some(({ asset }) => sameHex(asset.address, token.address)),
  );
  return [
    ...bundlers.map((bundler): Check => [
      'bundler',
      bundler.name,
      `Use a bundler of chain ${chainId} for EntryPoint v0.8 (chains.${key}.bundlerUrls).`,
      async () => {
        const found = await probeBundler(bundler, chain);
        if (typeof found === 'string') return judge(found, true);
        const { maxFeePerGas } = await bundler.gasPrice();
        const { baseFeePerGas } = await rpc.getBlock();
        const held = await bundler.holds(zeroHash);
        const text = `fee ${maxFeePerGas} wei, base fee ${baseFeePerGas}; whether it holds an operation: ${held}`;
        return judge(text, maxFeePerGas < (baseFeePerGas ?? 0n), held === 'unsupported');
      },
    ]),
    ...[usdc, wrappedNative, ...assets].map(({ price }): Check => [
      'feed',
      `${key} ${price.description}`,
      'Wait for the feed. If it was replaced, update the facts of the chain (libs/contracts/src/chains).',
      async () => {
        const feed = { address: price.feed, abi } as const;
        const description = await rpc.readContract({ ...feed, functionName: 'description' });
        const [, answer, , updatedAt] = await rpc.readContract({ ...feed, functionName: 'latestRoundData' });
        const { timestamp } = await rpc.getBlock();
        const age = Number(timestamp - updatedAt);
        const late = age - price.heartbeatSeconds;
        const isOther = description.replace(/\s/g, '') !== price.description.replace(/\s/g, '');
        const text = `${description}: ${answer}, ${Math.max(0, age)} s old; heartbeat ${price.heartbeatSeconds} s`;
        return judge(text, isOther || late > lateRoundSeconds || answer <= 0n, late > 0);
      },
    ]),
    [
      'vaults',
      key,
      'Compare them by `vaults check`: a contradicted vault is not offered. If every vault refuses, list others, or use a node with state overrides in eth_call.',
      async () => {
        const { checked, mismatches } = await checkVaults(rpc, registry);
        const vaults = checked.slice(0, probedVaults).map(toTracked);
        const prober = createProber({ chain: key, rpc, logger: silentLogger });
        const probed = await prober.probe(vaults, await rpc.getBlockNumber(), new AbortController().signal);
        const refused = probed.filter(({ result }) => result !== 'ok');
        const text = [
          `${checked.length} of ${registry.length} confirmed`,
          ...mismatches.slice(0, 3).map(({ entry, reason }) => `${entry.name}: ${reason}`),
          `${probed.length - refused.length} of ${vaults.length} take a simulated deposit and pay it back`,
          ...refused.slice(0, 1).map(({ reason }) => reason),
        ];
        return judge(text.join('; '), refused.length === probed.length, mismatches.length > 0);
      },
    ],
  ];
}
