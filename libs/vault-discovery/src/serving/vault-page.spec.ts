import { InvalidParametersError } from '@yield-vault/protocol';
import { buildSummaryRow } from '../../test/build-summary.js';
import { createChainIndex } from './chain-index.js';
import { vaultPage } from './vault-page.js';

const rowsOf = (chainId: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const { asset } = buildSummaryRow(1).summary;
    return buildSummaryRow(index + 1, {
      chainId,
      listed: index % 3 !== 0,
      asset: { ...asset, symbol: index % 2 === 0 ? 'USDC' : 'WETH' },
      compositeScores: { maximize_apy: 1.006, balanced: 2, minimize_risk: 3 },
    });
  });

const base = rowsOf(8453, 10);
const ethereum = rowsOf(1, 7);
const indexes = () => [base, ethereum].map((rows) => createChainIndex([...rows].reverse()));
const inOrder = (rows: readonly { summary: { vaultId: string } }[]) =>
  rows
    .map(({ summary }) => BigInt(summary.vaultId))
    .sort((a, b) => (a < b ? -1 : 1))
    .map(String);

describe('vaultPage', () => {
  it('default: every vault of every chain once, by id as an integer, for any page size', () => {
    const all = indexes();
    for (const limit of [1, 4, 16, 17, 18, 100]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = vaultPage(all, { limit, ...(cursor === undefined ? {} : { cursor }) });
        expect(page.total).toBe(17);
        expect(page.count).toBe(page.vaults.length);
        expect(page.count).toBeLessThanOrEqual(limit);
        seen.push(...page.vaults.map(({ vaultId }) => vaultId));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(inOrder([...base, ...ethereum]));
    }
  });

  it('behavior: elements are exactly the stored summary, scores rounded', () => {
    const [first] = vaultPage(indexes(), { limit: 1 }).vaults;
    const stored = [...base, ...ethereum].find(({ summary }) => summary.vaultId === first!.vaultId)!;
    expect(first).toEqual({
      ...stored.summary,
      compositeScores: { maximize_apy: 1.01, balanced: 2, minimize_risk: 3 },
    });
  });

  it.each([
    ['asset', { asset: 'weth' }, 8],
    ['listed', { listed: true }, 10],
    ['not listed', { listed: false }, 7],
    ['both', { asset: 'USDC', listed: true }, 5],
    ['an asset of no vault', { asset: 'DAI' }, 0],
  ])('behavior: filters by %s, total included', (_name, filter, total) => {
    const page = vaultPage(indexes(), { limit: 100, ...filter });
    expect(page).toMatchObject({ total, count: total, nextCursor: null });
  });

  it('behavior: a cursor of a removed vault continues after it', () => {
    const all = indexes();
    const { nextCursor } = vaultPage(all, { limit: 3 });
    const ids = inOrder([...base, ...ethereum]);
    const without = [base, ethereum].map((rows) =>
      createChainIndex(rows.filter(({ summary }) => summary.vaultId !== ids[2])),
    );
    const page = vaultPage(without, { limit: 100, cursor: nextCursor! });
    expect(page.vaults.map(({ vaultId }) => vaultId)).toEqual(ids.slice(3));
  });

  // The last ones are 012, 1x, and 12 with padding.
  it.each(['', 'x', '!!', 'MDEy', 'MXg', 'MTI='])(
    'error: InvalidParametersError for the cursor %p',
    (cursor) => {
      const all = indexes();
      expect(() => vaultPage(all, { limit: 5, cursor })).toThrow(InvalidParametersError);
    },
  );
});
