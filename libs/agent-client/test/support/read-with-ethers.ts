import { getAddress, Interface, zeroPadValue } from 'ethers';
import type { PreparedIntentEnvelope } from '@yield-vault/protocol';

/** One record of the executor, as its Solidity documents it. */
export interface HookRecord {
  readonly id: number;
  /** The spender of an approval. */
  readonly vault: string;
  readonly token: string;
  readonly amount: bigint;
  readonly minimum: bigint;
}

const account = new Interface(['function runHooks(bytes entries)']);
/**
 * Read the hooks of an envelope as the Solidity sources do, without any code of the product.
 *
 * @returns `undefined` when the call data is anything but hooks in their one encoding
 */
export function readWithEthers(envelope: PreparedIntentEnvelope): readonly HookRecord[] | undefined {
  const { callData } = envelope.userOps[0]!.userOperation;
  try {
    const [entries] = account.decodeFunctionData('runHooks', callData) as unknown as [string];
    if (account.encodeFunctionData('runHooks', [entries]) !== callData) return undefined;
    return readRecords(entries.slice(2));
  } catch {
    return undefined;
  }
}

function readRecords(digits: string): readonly HookRecord[] | undefined {
  const records: HookRecord[] = [];
  for (let rest = digits; rest !== '';) {
    const id = Number(`0x${rest.slice(0, 2)}`);
    const size = { 1: 210, 2: 210, 3: 146, 0x81: 210 }[id];
    if (size === undefined || rest.length < size) return undefined;
    const field = (from: number, to: number) => `0x${rest.slice(from, to)}`;
    records.push({
      id,
      vault: getAddress(zeroPadValue(field(2, 42), 20)),
      token: getAddress(zeroPadValue(field(42, 82), 20)),
      amount: BigInt(field(82, 146)),
      minimum: id === 3 ? 0n : BigInt(field(146, 210)),
    });
    rest = rest.slice(size);
  }
  return records.length > 0 && records.length <= 8 ? records : undefined;
}
