import { numberToHex } from 'viem';
import type { BlockRef, SimulatedCall } from '../types.js';
import { createForesight, type Foresight } from './create-foresight.js';
import { accountItem, itemKey, slotItem } from './state-item.js';

const account = (index: number) => numberToHex(index, { size: 20 });
const call: SimulatedCall = { from: account(21), to: account(2), data: '0x12' };
const likely = { template: 'deposit', calls: [call] };
const list = (address: number, ...storageKeys: string[]) => ({
  result: { accessList: [{ address: account(address), storageKeys }] },
});
const block = (index: number): BlockRef => ({
  number: BigInt(index),
  hash: numberToHex(index, { size: 32 }),
  timestamp: 0n,
});

describe('createForesight', () => {
  let foresight: Foresight;
  beforeEach(() => {
    foresight = createForesight(false);
  });
  const keys = (use = likely as Parameters<Foresight['items']>[0]) =>
    foresight.items(use, undefined).map(itemKey);
  const always = itemKey(accountItem(account(1)));
  const parties = [accountItem(call.from), accountItem(call.to), accountItem(account(1))].map(itemKey);

  it('default: an access list is asked for once, and is what its template touches from then on', () => {
    expect(foresight.unforeseen(likely)).toEqual([call]);
    foresight.learn([call], [list(3, '0x1')]);
    expect(keys()).toEqual([
      ...[accountItem(account(3)), slotItem(account(3), '0x1')].map(itemKey),
      ...parties,
    ]);
    const again = { ...likely, calls: [{ ...call, data: '0x34' } as const] };
    expect(foresight.unforeseen(again)).toEqual([]);
    expect(keys(again)).toContain(itemKey(slotItem(account(3), '0x1')));
  });

  it('behavior: an endless access list is cut', () => {
    const slots = Array.from({ length: 5_000 }, (_, index) => numberToHex(index, { size: 32 }));
    foresight.learn([call], [list(3, ...slots)]);
    expect(keys({ calls: [call] }).length).toBeLessThan(500);
  });

  it('behavior: of many templates on one block, the last ones learn what is read', () => {
    const template = (index: number) => ({ template: `wallet ${String(index)}`, calls: [call] });
    for (let index = 0; index < 100; index++) {
      foresight.items(template(index), undefined);
      foresight.noteUse(block(1), template(index).template);
    }
    foresight.noteRead(block(1), accountItem(account(9)), false);
    expect(keys(template(99))).toContain(itemKey(accountItem(account(9))));
    expect(keys(template(0))).not.toContain(itemKey(accountItem(account(9))));
  });

  it('behavior: without a template every new call is asked about, and an old one is not', () => {
    const unnamed = { calls: [call] };
    foresight.learn([call], [list(3)]);
    expect(foresight.unforeseen(unnamed)).toEqual([]);
    const other = { ...call, data: '0x34' } as const;
    expect(foresight.unforeseen({ calls: [call, other, other] })).toEqual([other]);
    expect(keys(unnamed)).toContain(account(3));
  });

  it('behavior: what a node cannot tell is learned from what hosts read', () => {
    foresight.learn([call], [{ error: { code: -32601, message: 'unknown' } }]);
    expect(keys()).toEqual(parties);
    expect(foresight.unforeseen(likely)).toEqual([]);
    foresight.noteUse(block(1), 'deposit');
    foresight.noteRead(block(1), slotItem(account(4), '0x1'), false);
    foresight.noteRead(block(1), slotItem(account(4), '0x2'), true);
    foresight.noteRead(block(2), slotItem(account(4), '0x3'), false);
    expect(keys()).toEqual([itemKey(slotItem(account(4), '0x1')), ...parties]);
  });

  it('behavior: what blocks in a row did not need is no longer loaded', () => {
    foresight.learn([call], [list(3, '0x1', '0x2')]);
    keys();
    for (let index = 0; index < 80; index++) {
      foresight.noteUse(block(index), 'deposit');
      foresight.noteRead(block(index), slotItem(account(3), '0x1'), true);
    }
    expect(keys()).toContain(itemKey(slotItem(account(3), '0x1')));
    expect(keys()).not.toContain(itemKey(slotItem(account(3), '0x2')));
  });

  it('behavior: what is given along with simulations is not forgotten, though hosts read it seldom', () => {
    foresight.learn([call], [list(3, '0x1', '0x2')]);
    keys();
    const [used, unused] = [slotItem(account(3), '0x1'), slotItem(account(3), '0x2')];
    let given = 0;
    for (let index = 0; index < 80; index++) {
      foresight.noteUse(block(index), 'deposit');
      const slots = foresight.slotsToGive(block(index), likely);
      given += slots.length > 0 ? 1 : 0;
      foresight.noteRead(block(index), accountItem(account(3)), true);
      if (!slots.some((slot) => itemKey(slot) === itemKey(used)))
        foresight.noteRead(block(index), used, true);
    }
    expect(given).toBe(70);
    expect(keys()).toContain(itemKey(used));
    expect(keys()).not.toContain(itemKey(unused));
  });

  it('behavior: a block on which nothing was read makes nothing older', () => {
    foresight.learn([call], [list(3, '0x1')]);
    keys();
    for (let index = 0; index < 80; index++) foresight.noteUse(block(index), 'deposit');
    expect(keys()).toContain(itemKey(slotItem(account(3), '0x1')));
  });

  it('behavior: the code behind a delegated wallet is expected of the next one', () => {
    foresight.noteStates([
      { balance: '0x0', nonce: '0x0', code: `0xef0100${account(9).slice(2)}` },
      { balance: '0x0', nonce: '0x0', code: '0xef01' },
      numberToHex(0, { size: 32 }),
      undefined,
    ]);
    expect(keys({ calls: [] })).toEqual([always, account(9)]);
  });

  it('behavior: who gets the fees is expected, and on the OP stack what sets them', () => {
    const raw = { block: block(1), miner: account(7), raw: {} };
    expect(foresight.items({ calls: [] }, raw).map(itemKey)).toEqual([always, account(7)]);
    const opStack = createForesight(true).items({ calls: [] }, raw);
    expect(opStack.map(itemKey)).toContain('0x4200000000000000000000000000000000000015');
  });
});
