import { testAccount } from '@yield-vault/testing';
import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, zeroAddress, type Address, type Hex, type Log } from 'viem';
import { parseShareMovements, shareAbi } from './share-movements.js';

const [wallet, other] = [testAccount('owner').address, testAccount('other').address];
const vault = '0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD';
const at = { address: vault, transactionHash: '0xaa', blockNumber: 1n, logIndex: 0 };
type Overrides = Partial<Pick<Log, 'address' | 'transactionHash' | 'blockNumber' | 'logIndex'>>;

const words = (...values: bigint[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  );
const build = (topics: unknown, data: Hex, overrides: Overrides) =>
  ({ ...at, ...overrides, topics, data }) as unknown as Log;
const transfer = (from: Address, to: Address, shares: bigint, overrides: Overrides = {}) =>
  build(
    encodeEventTopics({ abi: shareAbi, eventName: 'Transfer', args: { from, to } }),
    words(shares),
    overrides,
  );
const deposit = (owner: Address, assets: bigint, shares: bigint, overrides: Overrides = { logIndex: 1 }) =>
  build(
    encodeEventTopics({ abi: shareAbi, eventName: 'Deposit', args: { sender: other, owner } }),
    words(assets, shares),
    overrides,
  );
const withdraw = (owner: Address, assets: bigint, shares: bigint, overrides: Overrides = { logIndex: 1 }) =>
  build(
    encodeEventTopics({
      abi: shareAbi,
      eventName: 'Withdraw',
      args: { sender: other, receiver: other, owner },
    }),
    words(assets, shares),
    overrides,
  );

const [ours, theirs] = [wallet, other].map((address) => address.toLowerCase());
const mint = transfer(zeroAddress, wallet, 100n);

describe('parseShareMovements', () => {
  it('default: a Deposit of any sender prices the mint', () => {
    expect(parseShareMovements([deposit(wallet, 105n, 100n), mint])).toEqual([
      {
        ...{ wallet: ours, vault: vault.toLowerCase(), kind: 'deposit' },
        ...{ shares: 100n, assets: 105n, blockNumber: 1n, logIndex: 0 },
      },
    ]);
  });

  it('behavior: a Withdraw of any sender for any receiver prices the burn', () => {
    const logs = [transfer(wallet, zeroAddress, 100n), withdraw(wallet, 105n, 100n)];
    expect(parseShareMovements(logs)).toMatchObject([{ wallet: ours, kind: 'withdraw', assets: 105n }]);
  });

  it('behavior: a Transfer between two wallets moves shares of both, or of the chosen one', () => {
    const logs = [transfer(wallet, other, 100n)];
    const [out, into] = parseShareMovements(logs);
    expect(out).toMatchObject({ wallet: ours, kind: 'transfer-out', shares: 100n, assets: undefined });
    expect(into).toMatchObject({ wallet: theirs, kind: 'transfer-in', shares: 100n, assets: undefined });
    expect(parseShareMovements(logs, wallet)).toEqual([out]);
    expect(parseShareMovements(logs, other)).toEqual([into]);
  });

  it('behavior: a Deposit prices the shares of its owner alone', () => {
    const logs = [transfer(zeroAddress, other, 100n), deposit(wallet, 105n, 100n)];
    expect(parseShareMovements(logs)).toMatchObject([
      { wallet: theirs, kind: 'transfer-in', assets: undefined },
    ]);
  });

  it('behavior: a Transfer of zero or to oneself moves nothing', () => {
    const logs = [transfer(wallet, other, 0n), transfer(wallet, wallet, 5n, { logIndex: 1 })];
    expect(parseShareMovements(logs)).toEqual([]);
  });

  it('behavior: events of another form are left out', () => {
    const nft = { ...mint, topics: [...mint.topics, mint.topics[1]], data: '0x' } as unknown as Log;
    expect(parseShareMovements([nft, { ...mint, data: '0x' }])).toEqual([]);
  });

  it('behavior: an event that two queries found counts once', () => {
    const logs = [mint, deposit(wallet, 105n, 100n), transfer(zeroAddress, wallet, 100n, { logIndex: 2 })];
    expect(parseShareMovements([...logs, ...logs])).toEqual(parseShareMovements(logs));
  });

  it.each([
    ['in another vault', deposit(wallet, 105n, 100n, { logIndex: 1, address: other })],
    ['of another transaction', deposit(wallet, 105n, 100n, { logIndex: 1, transactionHash: '0xbb' })],
    ['of another share count', deposit(wallet, 105n, 101n)],
    ['of the other direction', withdraw(wallet, 105n, 100n)],
  ])('behavior: an event %s prices nothing, and moves nothing by itself', (_, event) => {
    expect(parseShareMovements([mint, event])).toMatchObject([{ kind: 'transfer-in', assets: undefined }]);
  });

  const anyEvent = fc.record({
    event: fc.constantFrom('in', 'out', 'deposit', 'withdraw'),
    transactionHash: fc.constantFrom<Hex>('0xaa', '0xbb'),
    shares: fc.bigInt({ min: 1n, max: 3n }),
    assets: fc.bigInt({ min: 1n, max: 1_000n }),
  });

  it('property: each Transfer takes the first price that is left for its transaction and share count', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        const logs = events.map(({ event, transactionHash, shares, assets }, logIndex) => {
          const place = { transactionHash, logIndex };
          if (event === 'in') return transfer(zeroAddress, wallet, shares, place);
          if (event === 'out') return transfer(wallet, zeroAddress, shares, place);
          return (event === 'deposit' ? deposit : withdraw)(wallet, assets, shares, place);
        });
        const left = [...events];
        const expected = events
          .filter(({ event }) => event === 'in' || event === 'out')
          .map(({ event, transactionHash, shares }) => {
            const kind = event === 'in' ? 'deposit' : 'withdraw';
            const place = left.findIndex(
              (price) =>
                price.event === kind && price.transactionHash === transactionHash && price.shares === shares,
            );
            return place < 0
              ? { kind: `transfer-${event}` }
              : { kind, assets: left.splice(place, 1)[0]!.assets };
          });
        expect(parseShareMovements(logs)).toMatchObject(expected);
      }),
    );
  });
});
