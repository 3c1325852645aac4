import { NoSuitableVaultsError } from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { buildCatalogue } from '../../test/build-catalogue.js';
import { chooseTarget } from './choose-target.js';

const scored = (digit: number, balanced: number) =>
  buildListedVault({
    vaultAddress: `0x${String(digit).repeat(40)}`,
    compositeScores: { maximize_apy: 100 - balanced, minimize_risk: 0, balanced },
  });
const source = scored(1, 50);

describe('chooseTarget', () => {
  it('default: the best other vault', () => {
    expect(chooseTarget(source, buildCatalogue([scored(3, 90), scored(2, 60), source])).vaultAddress).toMatch(
      /^0x3/,
    );
    expect(chooseTarget(source, buildCatalogue([source, scored(2, 51)])).vaultAddress).toMatch(/^0x2/);
  });

  it.each([
    ['a worse one', [source, scored(2, 49)], true],
    ['an equal one', [source, scored(2, 50)], true],
    ['none', [source], false],
  ])('error: NoSuitableVaultsError when there is only %s', (_, vaults, hasTarget) => {
    const attempt = () => chooseTarget(source, buildCatalogue(vaults));
    expect(attempt).toThrow(NoSuitableVaultsError);
    const target = hasTarget ? expect.objectContaining({ vaultId: vaults[1]?.vaultId }) : null;
    expect(attempt).toThrow(
      expect.objectContaining({
        details: { source: expect.objectContaining({ vaultId: source.vaultId, compositeScore: 50 }), target },
      }),
    );
  });

  it('behavior: scores are told as discover tells them, and compared as they are', () => {
    const better = scored(2, 50.123457);
    const vaults = buildCatalogue([better, source]);
    expect(chooseTarget(scored(1, 50.123456), vaults)).toBe(better);
    expect(() => chooseTarget(scored(1, 50.123458), vaults)).toThrow(
      expect.objectContaining({
        details: {
          source: expect.objectContaining({ compositeScore: 50.12 }),
          target: expect.objectContaining({ compositeScore: 50.12 }),
        },
      }),
    );
  });

  it('behavior: another token of the same symbol is another asset', () => {
    const asset = { ...source.asset, address: source.vaultAddress };
    const bridged = { ...scored(3, 90), asset };
    expect(chooseTarget(source, buildCatalogue([bridged, scored(2, 60)])).vaultAddress).toMatch(/^0x2/);
    expect(() => chooseTarget(source, buildCatalogue([bridged]))).toThrow(NoSuitableVaultsError);
  });

  it('error: NoSuitableVaultsError where the catalogue cannot rank', () => {
    expect(() => chooseTarget(source, { find: () => undefined, isStale: () => false })).toThrow(
      NoSuitableVaultsError,
    );
  });
});
