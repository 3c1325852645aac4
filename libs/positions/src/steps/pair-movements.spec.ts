import fc from 'fast-check';
import { pairMovements } from './pair-movements.js';
import type { ShareLog } from './read-share-logs.js';

const log = (overrides: Partial<ShareLog>): ShareLog => ({
  event: 'transfer-in',
  vaultAddress: '0x3000000000000000000000000000000000000003',
  transactionHash: '0xaa',
  blockNumber: 1n,
  logIndex: 0,
  shares: 100n,
  assets: undefined,
  ...overrides,
});

describe('pairMovements', () => {
  it('default: a Deposit prices the Transfer of its transaction', () => {
    const logs = [log({}), log({ event: 'deposit', logIndex: 1, assets: 105n })];
    expect(pairMovements(logs)).toEqual([
      { kind: 'deposit', shares: 100n, assets: 105n, blockNumber: 1n, logIndex: 0 },
    ]);
  });

  it('behavior: a Withdraw prices the Transfer out', () => {
    const logs = [log({ event: 'withdraw', logIndex: 1, assets: 99n }), log({ event: 'transfer-out' })];
    expect(pairMovements(logs)).toMatchObject([{ kind: 'withdraw', assets: 99n }]);
  });

  it('behavior: each Deposit prices only one Transfer', () => {
    const logs = [log({}), log({ logIndex: 1 }), log({ event: 'deposit', logIndex: 2, assets: 105n })];
    expect(pairMovements(logs).map(({ kind }) => kind)).toEqual(['deposit', 'transfer-in']);
  });

  it.each([
    ['of another transaction', { transactionHash: '0xbb' }],
    ['of another share count', { shares: 101n }],
    ['of the other direction', { event: 'withdraw' }],
  ] as const)('behavior: an event %s prices nothing, and moves nothing by itself', (_, change) => {
    const logs = [log({}), log({ event: 'deposit', logIndex: 1, assets: 105n, ...change })];
    expect(pairMovements(logs)).toMatchObject([{ kind: 'transfer-in', assets: undefined }]);
  });

  it('behavior: of several Deposits of one transaction and share count the first comes first', () => {
    const deposits = [105n, 106n].map((assets, logIndex) => log({ event: 'deposit', logIndex, assets }));
    const logs = [log({ logIndex: 2 }), ...deposits, log({ logIndex: 3 })];
    expect(pairMovements(logs).map(({ assets }) => assets)).toEqual([105n, 106n]);
  });

  const anyLog = fc
    .record({
      event: fc.constantFrom<ShareLog['event']>('transfer-in', 'transfer-out', 'deposit', 'withdraw'),
      transactionHash: fc.constantFrom('0xaa', '0xbb'),
      shares: fc.bigInt({ min: 1n, max: 3n }),
      assets: fc.bigInt({ min: 1n, max: 1_000n }),
    })
    .map((fields) => log({ ...fields, assets: fields.event.startsWith('t') ? undefined : fields.assets }));

  it('property: each Transfer takes the first price that is left for its transaction and share count', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 30 }), (logs) => {
        const left = [...logs];
        const expected = logs
          .filter(({ event }) => event.startsWith('t'))
          .map(({ event, transactionHash, shares }) => {
            const kind = event === 'transfer-in' ? 'deposit' : 'withdraw';
            const at = left.findIndex(
              (price) =>
                price.event === kind && price.transactionHash === transactionHash && price.shares === shares,
            );
            return at < 0 ? { kind: event } : { kind, assets: left.splice(at, 1)[0]!.assets };
          });
        expect(pairMovements(logs)).toMatchObject(expected);
      }),
    );
  });
});
