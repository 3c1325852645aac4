import { UpstreamFailure } from '@yield-vault/chains';
import type { VaultReward } from '@yield-vault/protocol';
import { round } from '@yield-vault/vault-metrics';
import { type Address, getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { createJsonClient } from '../../http/create-json-client.js';
import type { CatalogueSource, SourceRecord } from '../catalogue-source.js';
import { optionalNumber, readEach, readItems, sourceAddress } from './read-items.js';

const name = 'merkl';
const deadlineMs = 45_000;
/** The most that the service returns at once. */
const pageSize = 100;
const maxPages = 20;
const mostRewards = 10;
const mostApr = 1_000;
const longestSymbol = 32;
const invisible = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
/** Depositors earn these alone. A loan has the same identifier. */
const actions = ['LEND', 'HOLD'];

const opportunitySchema = z.object({
  chainId: z.int(),
  action: z.string(),
  // Often the address of the vault.
  identifier: z.string(),
  // Percent a year without the campaigns.
  nativeApr: optionalNumber,
  aprRecord: z.object({ breakdowns: z.array(z.unknown()) }),
  campaigns: z.array(z.unknown()),
});
const breakdownSchema = z.object({
  type: z.literal('CAMPAIGN'),
  identifier: z.string(),
  distributionType: z.string(),
  value: z.number(),
});
const campaignSchema = z.object({
  campaignId: z.string(),
  endTimestamp: z.int().positive().max(8_640_000_000_000),
  rewardToken: z.object({
    chainId: z.int(),
    address: sourceAddress,
    symbol: z.string(),
    isTest: z.literal(false).nullish(),
    // Points have no price.
    type: z.literal('TOKEN').nullish(),
  }),
  // A whitelisted campaign pays chosen wallets alone.
  params: z.object({ whitelist: z.array(z.unknown()).max(0).nullish() }).nullish(),
});

/** These distributions report what they pay. The others report a target that includes the vault's own yield. */
const paysItsApr = /^(DUTCH_AUCTION|FIX_|MAX_)/;

/**
 * Create the source of Merkl: rewards that depositors earn besides the yield of the vault.
 *
 * @param options.url - of the service, e.g. `https://api.merkl.xyz`
 */
export function createMerklSource({ url }: { readonly url: string }): CatalogueSource {
  const client = createJsonClient({ name, deadlineMs });
  return {
    name,
    load: async (chainIds, signal) => {
      const query = `chainId=${chainIds.join(',')}&status=LIVE&campaigns=true&items=${pageSize}`;
      const items: unknown[] = [];
      for (let page = 0; page < maxPages; page += 1) {
        const address = `${url}/v4/opportunities?${query}&page=${page}`;
        const part = await client.get(address, z.array(z.unknown()), signal);
        items.push(...part);
        if (part.length < pageSize) return toRecords(items, chainIds);
      }
      throw new UpstreamFailure(name, 'the response does not end');
    },
  };
}

/** A vault may have several opportunities. */
function toRecords(items: readonly unknown[], chainIds: readonly number[]): SourceRecord[] {
  const byVault = new Map<string, VaultReward[]>();
  for (const opportunity of readItems(name, opportunitySchema, items)) {
    const { chainId, action, identifier } = opportunity;
    const isVault = isAddress(identifier, { strict: false });
    if (!isVault || !actions.includes(action) || !chainIds.includes(chainId)) continue;
    const key = `${chainId} ${getAddress(identifier)}`;
    byVault.set(key, [...(byVault.get(key) ?? []), ...rewardsOf(opportunity)]);
  }
  return [...byVault].map(([key, rewards]) => {
    const [chainId, address] = key.split(' ') as [string, Address];
    const best = rewards.sort((one, other) => other.apr - one.apr).slice(0, mostRewards);
    return { chainId: Number(chainId), address, flags: [], rewards: best };
  });
}

function rewardsOf(opportunity: z.infer<typeof opportunitySchema>): VaultReward[] {
  const { chainId, nativeApr = NaN, aprRecord } = opportunity;
  const campaigns = readEach(campaignSchema, opportunity.campaigns);
  return readEach(breakdownSchema, aprRecord.breakdowns).flatMap((part) => {
    const campaign = campaigns.find(({ campaignId }) => campaignId === part.identifier);
    const apr = round(paysItsApr.test(part.distributionType) ? part.value : part.value - nativeApr, 4);
    const isUsable = campaign?.rewardToken.chainId === chainId && apr > 0 && apr <= mostApr;
    if (!isUsable) return [];
    const { address: token, symbol } = campaign.rewardToken;
    return [
      {
        token,
        symbol: symbol.slice(0, longestSymbol).replace(invisible, '') || token,
        apr,
        endsAt: new Date(campaign.endTimestamp * 1_000).toISOString(),
        source: name,
      },
    ];
  });
}
