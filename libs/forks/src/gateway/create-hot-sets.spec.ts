import { createHotSets, type HotSets } from './create-hot-sets.js';
import { accountItem, itemKey, type StateItem } from './state-item.js';

const item = (index: number) => accountItem(`0x${index.toString(16).padStart(40, '0')}`);
const keys = (items: readonly StateItem[]) => items.map(itemKey);

describe('createHotSets', () => {
  let sets: HotSets;
  beforeEach(() => {
    sets = createHotSets({ maxTemplates: 2, maxItems: 3, forgetAfter: 2 });
  });

  it('default: a template is what was learned for it', () => {
    expect(sets.knows('a')).toBe(false);
    sets.learn('a', [item(1), item(2)]);
    sets.learn('a', [item(2)]);
    expect(sets.knows('a')).toBe(true);
    expect(keys(sets.items('a'))).toEqual(keys([item(1), item(2)]));
    expect(sets.items('b')).toEqual([]);
  });

  it('behavior: an item goes when uses in a row did not read it, and stays when one did', () => {
    sets.learn('a', [item(1), item(2)]);
    sets.recordUse('a', (key) => key === itemKey(item(1)));
    sets.recordUse('a', () => false);
    expect(keys(sets.items('a'))).toEqual(keys([item(1)]));
    sets.recordUse('a', () => false);
    expect(sets.items('a')).toEqual([]);
    expect(sets.knows('a')).toBe(true);
  });

  it('behavior: a full set drops what was unused longest', () => {
    sets.learn('a', [item(1), item(2), item(3)]);
    sets.recordUse('a', (key) => key !== itemKey(item(2)));
    sets.learn('a', [item(4)]);
    expect(keys(sets.items('a'))).toEqual(keys([item(1), item(3), item(4)]));
  });

  it('behavior: the template that was used least recently goes', () => {
    sets.learn('a', [item(1)]);
    sets.learn('b', [item(1)]);
    sets.items('a');
    sets.learn('c', [item(1)]);
    expect(['a', 'b', 'c'].map((template) => sets.knows(template))).toEqual([true, false, true]);
  });
});
