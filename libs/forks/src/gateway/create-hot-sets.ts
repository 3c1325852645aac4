import { LRUCache } from 'lru-cache';
import { itemKey, type StateItem } from './state-item.js';

/** What templates of operations touch, learned from what was read for them. */
export interface HotSets {
  knows(template: string): boolean;
  items(template: string): readonly StateItem[];
  learn(template: string, items: readonly StateItem[]): void;
  /** Note which items a use of the template read; those that were often not read are dropped. */
  recordUse(template: string, wasRead: (key: string) => boolean): void;
}

export interface HotSetLimits {
  readonly maxTemplates: number;
  readonly maxItems: number;
  /** An item goes when this many uses in a row did not read it. */
  readonly forgetAfter: number;
}

interface Entry {
  readonly item: StateItem;
  unusedFor: number;
}

/** Make the memory of what operations touch. */
export function createHotSets({ maxTemplates, maxItems, forgetAfter }: HotSetLimits): HotSets {
  const sets = new LRUCache<string, Map<string, Entry>>({ max: maxTemplates });

  const makeRoom = (set: Map<string, Entry>) => {
    if (set.size <= maxItems) return;
    const oldestFirst = [...set].sort(([, a], [, b]) => b.unusedFor - a.unusedFor);
    for (const [key] of oldestFirst.slice(0, set.size - maxItems)) set.delete(key);
  };

  return {
    knows: (template) => sets.has(template),
    items: (template) => [...(sets.get(template)?.values() ?? [])].map(({ item }) => item),
    learn(template, items) {
      const set = sets.get(template) ?? new Map<string, Entry>();
      sets.set(template, set);
      for (const item of items) set.set(itemKey(item), { item, unusedFor: 0 });
      makeRoom(set);
    },
    recordUse(template, wasRead) {
      for (const [key, entry] of sets.get(template) ?? []) {
        entry.unusedFor = wasRead(key) ? 0 : entry.unusedFor + 1;
        if (entry.unusedFor >= forgetAfter) sets.get(template)?.delete(key);
      }
    },
  };
}
