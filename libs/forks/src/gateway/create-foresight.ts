import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import type { BlockRef, SimulatedCall } from '../types.js';
import { accessListCall, partiesOf, touchedItems } from './access-list.js';
import type { Header } from './block-reference.js';
import { chainItems } from './chain-items.js';
import { createHotSets } from './create-hot-sets.js';
import { accountItem, isAccountState, itemKey, type SlotItem, type StateItem } from './state-item.js';
import type { LikelyUse, RpcCall, RpcOutcome } from './types.js';

// A wallet's operation touches about a hundred accounts and slots.
const hotSetLimits = { maxTemplates: 500, maxItems: 400, forgetAfter: 8 };
const blocksFollowed = 32;
// What is given along with a simulation is not read: on every so many blocks nothing is, to see what is still needed.
const blocksPerLesson = 8n;
const accessListsKept = 500;
const delegatesKept = 16;
// Of one block, which may stay the newest one for long.
const readsKept = 20_000;
const templatesKept = 64;
// Code of a wallet that is delegated by EIP-7702.
const delegation = /^0xef0100[0-9a-f]{40}$/i;

/** Knows what a simulation is likely to touch: from access lists, and from what hosts read for its template. */
export interface Foresight {
  /** Calls that the upstream must be asked about; empty for a template that is known. */
  unforeseen(likely: LikelyUse): readonly SimulatedCall[];
  /** What to ask about them. */
  questions(calls: readonly SimulatedCall[], at: bigint | 'latest'): readonly RpcCall[];
  /** Learn what was answered. A node that cannot say it is not asked again: hosts show it. */
  learn(calls: readonly SimulatedCall[], answers: readonly RpcOutcome[]): void;
  items(likely: LikelyUse, header: Header | undefined): readonly StateItem[];
  /** Slots among them that may be given along with a simulation on a block. */
  slotsToGive(block: BlockRef, likely: LikelyUse): readonly SlotItem[];
  /** A simulation of a template begins on a block. */
  noteUse(block: BlockRef, template: string): void;
  noteRead(block: BlockRef, item: StateItem, wasKnown: boolean): void;
  /** Accounts as they were loaded. */
  noteStates(states: readonly unknown[]): void;
}

/** What was done on a block. */
interface BlockUse {
  /** Whether hosts read all that was needed. */
  readonly isLesson: boolean;
  /** Keys of what hosts read. */
  readonly reads: Set<string>;
  readonly templates: LRUCache<string, true>;
}

/** Make the foresight of a chain. */
export function createForesight(opStack: boolean): Foresight {
  const hotSets = createHotSets(hotSetLimits);
  const uses = new LRUCache<Hex, BlockUse>({ max: blocksFollowed });
  const lastUses = new LRUCache<string, BlockUse>({ max: hotSetLimits.maxTemplates });
  // What a call touches hardly changes from block to block: the list of an earlier one will do.
  const accessLists = new LRUCache<string, readonly StateItem[]>({ max: accessListsKept });
  // Access lists do not name the code behind a delegated wallet; the wallets of one service share it.
  const delegates = new LRUCache<string, StateItem>({ max: delegatesKept });

  const useOf = (block: BlockRef): BlockUse => {
    const use = uses.get(block.hash) ?? {
      isLesson: isLesson(block),
      reads: new Set(),
      templates: new LRUCache({ max: templatesKept }),
    };
    uses.set(block.hash, use);
    return use;
  };
  const isKnown = (template: string | undefined) => template !== undefined && hotSets.knows(template);

  const items: Foresight['items'] = ({ template, calls }, header) => {
    const listed = () => calls.flatMap((call) => accessLists.get(callKey(call)) ?? []);
    if (template !== undefined && !hotSets.knows(template)) hotSets.learn(template, listed());
    return [
      ...(template === undefined ? listed() : hotSets.items(template)),
      ...partiesOf(calls),
      ...chainItems(header, opStack),
      ...delegates.values(),
    ];
  };

  return {
    unforeseen({ template, calls }) {
      if (isKnown(template)) return [];
      const different = new Map(calls.map((call) => [callKey(call), call]));
      return [...different].filter(([key]) => !accessLists.has(key)).map(([, call]) => call);
    },
    questions: (calls, at) => calls.map((call) => accessListCall(call, at)),
    learn(calls, answers) {
      calls.forEach((call, index) => {
        accessLists.set(callKey(call), touchedItems(answers[index]).slice(0, hotSetLimits.maxItems));
      });
    },
    items,
    slotsToGive: (block, likely) =>
      isLesson(block) ? [] : items(likely, undefined).filter((item) => item.kind === 'slot'),
    noteUse(block, template) {
      const use = useOf(block);
      const previous = lastUses.get(template);
      // A block on which nothing was read says nothing about what would have been.
      if (previous && previous !== use && previous.isLesson && previous.reads.size > 0)
        hotSets.recordUse(template, (key) => previous.reads.has(key));
      lastUses.set(template, use);
      use.templates.set(template, true);
    },
    noteRead(block, item, wasKnown) {
      const { reads, templates } = useOf(block);
      if (reads.size < readsKept) reads.add(itemKey(item));
      if (!wasKnown) for (const template of templates.keys()) hotSets.learn(template, [item]);
    },
    noteStates(states) {
      for (const state of states) {
        if (!isAccountState(state) || !delegation.test(state.code)) continue;
        const delegate = accountItem(`0x${state.code.slice(-40)}`);
        delegates.set(itemKey(delegate), delegate);
      }
    },
  };
}

function isLesson({ number }: BlockRef): boolean {
  return number % blocksPerLesson === 0n;
}

function callKey({ from, to, data, value = 0n }: SimulatedCall): string {
  return [from, to, data, value].join();
}
