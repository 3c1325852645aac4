import type { Header } from './block-reference.js';
import { accountItem, slotItem, type StateItem } from './state-item.js';

const l1Block = '0x4200000000000000000000000000000000000015';
const l1BlockSlots = ['0x1', '0x3', '0x5', '0x7', '0x8'];
const feeVaults = [
  '0x4200000000000000000000000000000000000019',
  '0x420000000000000000000000000000000000001a',
  '0x420000000000000000000000000000000000001b',
];
// Access lists leave out precompiled contracts; an operation has a signature, and this one checks it.
const recoverSigner = accountItem('0x0000000000000000000000000000000000000001');
const opStackItems: readonly StateItem[] = [
  ...[l1Block, ...feeVaults].map(accountItem),
  ...l1BlockSlots.map((slot) => slotItem(l1Block, slot)),
];

/** What every operation touches: what checks its signature, who gets its fees and, on the OP stack, what sets them. */
export function chainItems(header: Header | undefined, opStack: boolean): readonly StateItem[] {
  return [
    recoverSigner,
    ...(header?.miner ? [accountItem(header.miner)] : []),
    ...(opStack ? opStackItems : []),
  ];
}
