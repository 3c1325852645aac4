import {
  InvalidParametersError,
  strategies,
  type Strategy,
  type VaultListRequest,
  type VaultListResponse,
  type VaultSummary,
} from '@yield-vault/protocol';
import { round } from '../metrics/statistics.js';
import type { ChainIndex } from '../ranking/chain-index.js';
import { compareVaultIds } from '../ranking/compare-vault-ids.js';
import { scoreDecimals } from '../ranking/to-candidate.js';
import type { IndexedVault } from '../ranking/to-indexed-vault.js';

const idPattern = /^(0|[1-9]\d*)$/;

/** Take a page of the catalogue of some chains, by vault id as an integer. */
export function vaultPage(
  indexes: readonly ChainIndex[],
  { asset, listed, limit, cursor }: Omit<VaultListRequest, 'chain'>,
): VaultListResponse {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const parts = indexes.map((index) => index.catalogue(asset));
  const found = parts
    .flatMap(({ vaults }) => takeAfter(vaults, after, listed, limit + 1))
    .sort((a, b) => compareVaultIds(a.vaultId, b.vaultId));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    count: page.length,
    total: parts.reduce((sum, part) => sum + countOf(part, listed), 0),
    nextCursor: found.length > limit && last ? writeCursor(last.vaultId) : null,
    vaults: page.map(toSummary),
  };
}

const countOf = (
  { vaults, listedCount }: { readonly vaults: readonly unknown[]; readonly listedCount: number },
  listed: boolean | undefined,
): number => {
  if (listed === undefined) return vaults.length;
  return listed ? listedCount : vaults.length - listedCount;
};

function takeAfter(
  vaults: readonly IndexedVault[],
  after: string | undefined,
  listed: boolean | undefined,
  limit: number,
): IndexedVault[] {
  const taken: IndexedVault[] = [];
  for (let index = firstAfter(vaults, after); index < vaults.length && taken.length < limit; index++) {
    const vault = vaults[index]!;
    if (listed === undefined || vault.listed === listed) taken.push(vault);
  }
  return taken;
}

/** Position of the first vault with a larger id. */
function firstAfter(vaults: readonly IndexedVault[], after: string | undefined): number {
  if (after === undefined) return 0;
  let low = 0;
  let high = vaults.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareVaultIds(vaults[middle]!.vaultId, after) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const writeCursor = (vaultId: string): string => Buffer.from(vaultId).toString('base64url');

function readCursor(cursor: string): string {
  const vaultId = Buffer.from(cursor, 'base64url').toString('latin1');
  if (idPattern.test(vaultId) && writeCursor(vaultId) === cursor) return vaultId;
  const violation = { field: 'cursor', message: 'must be the nextCursor of a page' };
  throw new InvalidParametersError({
    detail: `${violation.field} ${violation.message}.`,
    details: { violations: [violation] },
  });
}

/** Round the scores of a vault, as they stand in an answer. */
export const roundScores = (scores: Readonly<Record<Strategy, number>>): Record<Strategy, number> =>
  Object.fromEntries(
    strategies.map((strategy) => [strategy, round(scores[strategy], scoreDecimals)]),
  ) as Record<Strategy, number>;

function toSummary({ storeId: _id, assetPriceUsd: _price, ...vault }: IndexedVault): VaultSummary {
  return { ...vault, compositeScores: roundScores(vault.compositeScores) };
}
