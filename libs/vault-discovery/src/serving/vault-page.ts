import {
  invalidParameters,
  type VaultListRequest,
  type VaultListResponse,
  type VaultSummary,
} from '@yield-vault/protocol';
import { compareVaultIds } from '../measuring/measurement.js';
import { type ChainIndex, hasAsset, type IndexedVault, roundScores } from './chain-index.js';

const idPattern = /^(0|[1-9]\d*)$/;

/** Take a page of the catalogue of some chains, by vault id as an integer. */
export function vaultPage(
  indexes: readonly ChainIndex[],
  { asset, listed, limit, cursor }: Omit<VaultListRequest, 'chain'>,
): VaultListResponse {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const isOfAsset = asset === undefined ? () => true : hasAsset(asset);
  const parts = indexes.map(({ all }) =>
    all.filter((vault) => (listed === undefined || vault.listed === listed) && isOfAsset(vault)),
  );
  const found = parts
    .flatMap((vaults) => {
      const first = after === undefined ? 0 : vaults.findIndex((vault) => isAfter(vault, after));
      return first === -1 ? [] : vaults.slice(first, first + limit + 1);
    })
    .sort((a, b) => compareVaultIds(a.vaultId, b.vaultId));
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    count: page.length,
    total: parts.reduce((sum, vaults) => sum + vaults.length, 0),
    nextCursor: found.length > limit && last ? writeCursor(last.vaultId) : null,
    vaults: page.map(toSummary),
  };
}

const isAfter = ({ vaultId }: IndexedVault, after: string): boolean => compareVaultIds(vaultId, after) > 0;

const writeCursor = (vaultId: string): string => Buffer.from(vaultId).toString('base64url');

function readCursor(cursor: string): string {
  const vaultId = Buffer.from(cursor, 'base64url').toString('latin1');
  if (idPattern.test(vaultId) && writeCursor(vaultId) === cursor) return vaultId;
  throw invalidParameters([{ field: 'cursor', message: 'must be the nextCursor of a page' }]);
}

function toSummary({ storeId: _id, assetPriceUsd: _price, gas: _gas, ...vault }: IndexedVault): VaultSummary {
  return { ...vault, compositeScores: roundScores(vault.compositeScores) };
}
