import { judgeCoverage, type CoverageFacts } from './coverage.js';
import type { WalletPast } from './stored-pasts.js';
import type { ShareMovement } from './types.js';

const vault = '0x3000000000000000000000000000000000000003';
const wallet = '0x1000000000000000000000000000000000000001';

const moved = (kind: ShareMovement['kind'], blockNumber: bigint, shares: bigint): ShareMovement => ({
  kind,
  shares,
  assets: shares,
  blockNumber,
  logIndex: 0,
});
const early = moved('deposit', 10n, 100n);
const late = [moved('transfer-in', 50n, 7n), moved('withdraw', 60n, 2n)];

const past: WalletPast = {
  chainId: 8453,
  wallet,
  vaults: [vault],
  doneVaults: [],
  nextBlock: 49n,
  lastBlock: 49n,
  firstReceipt: 10n,
};
const done: WalletPast = { ...past, doneVaults: [vault] };
const facts: CoverageFacts = {
  vault,
  balance: 105n,
  stored: [early, ...late],
  firstBlock: 50n,
  fromBlock: 0n,
  past: undefined,
  isReached: true,
};

describe('judgeCoverage', () => {
  it('default: what was held before needs the past, and earlier finds do not count until then', () => {
    const judged = { movements: late, isComplete: false, needsPast: true };
    expect(judgeCoverage(facts)).toEqual(judged);
    expect(judgeCoverage({ ...facts, past })).toEqual({
      ...judged,
      needsPast: false,
    });
  });

  it('behavior: complete once this vault is read, also while others are', () => {
    expect(judgeCoverage({ ...facts, past: { ...done, vaults: [] } })).toEqual({
      movements: facts.stored,
      isComplete: true,
      needsPast: false,
    });
    for (const other of [{ vaults: [] }, { lastBlock: 48n }])
      expect(judgeCoverage({ ...facts, past: { ...past, ...other } })).toMatchObject({ needsPast: true });
  });

  it('behavior: complete from a balance of zero', () => {
    expect(judgeCoverage({ ...facts, balance: 5n })).toEqual({
      movements: late,
      isComplete: true,
      needsPast: false,
    });
  });

  it('behavior: complete where no event can be older than the first block', () => {
    expect(judgeCoverage({ ...facts, fromBlock: 50n })).toMatchObject({ isComplete: true, needsPast: false });
  });

  it('behavior: a vault that is not followed yet begins nothing', () => {
    expect(judgeCoverage({ ...facts, firstBlock: undefined })).toEqual({
      movements: [],
      isComplete: false,
      needsPast: false,
    });
  });

  it.each([[{ past: done }], [{ balance: 5n }], [{}]])(
    'behavior: while the follower is late, nothing is complete and nothing begins (%#)',
    (change) => {
      expect(judgeCoverage({ ...facts, ...change, isReached: false })).toMatchObject({
        isComplete: false,
        needsPast: false,
      });
    },
  );
});
