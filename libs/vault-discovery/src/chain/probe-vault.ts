import { asUpstreamError } from '@yield-vault/chains';
import {
  encodeAbiParameters,
  erc4626Abi,
  keccak256,
  numberToHex,
  parseAbi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import type { RegistryEntry } from '../types.js';
import { findKnownAsset, type KnownAsset } from './known-assets.js';

/** Nobody: holds the asset only inside the simulation. */
const simulatedHolder: Address = '0x00000000000000000000000000000000005EED01';
const pausableAbi = parseAbi(['function paused() view returns (bool)']);

/**
 * Find out whether a vault takes deposits now. `maxDeposit` is not asked: vaults that are open may answer 0, and
 * vaults that are closed may not.
 *
 * @returns why it takes none, or undefined
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function probeVault(rpc: PublicClient, entry: RegistryEntry): Promise<string | undefined> {
  const dependency = `rpc:${entry.chain}`;
  const answer = async <T>(call: Promise<T>): Promise<T | undefined> =>
    call.catch((error: unknown) => {
      const outage = asUpstreamError(error, dependency);
      if (outage) throw outage;
      return undefined;
    });
  const known = findKnownAsset(entry.chainId, entry.asset.address);
  const [isPaused, shares] = await Promise.all([
    answer(rpc.readContract({ address: entry.address, abi: pausableAbi, functionName: 'paused' })),
    answer(known ? simulateDeposit(rpc, entry, known) : previewDeposit(rpc, entry)),
  ]);
  if (isPaused === true) return 'paused';
  if (shares === undefined) return 'deposit-reverts';
  return shares === 0n ? 'deposit-gives-nothing' : undefined;
}

async function simulateDeposit(rpc: PublicClient, entry: RegistryEntry, known: KnownAsset): Promise<bigint> {
  const value = numberToHex(known.probeAmount, { size: 32 });
  const { result } = await rpc.simulateContract({
    address: entry.address,
    abi: erc4626Abi,
    functionName: 'deposit',
    args: [known.probeAmount, simulatedHolder],
    account: simulatedHolder,
    stateOverride: [
      {
        address: entry.asset.address,
        stateDiff: [
          { slot: mappingSlot(simulatedHolder, numberToHex(known.balanceSlot, { size: 32 })), value },
          {
            slot: mappingSlot(
              entry.address,
              mappingSlot(simulatedHolder, numberToHex(known.allowanceSlot, { size: 32 })),
            ),
            value,
          },
        ],
      },
    ],
  });
  return result;
}

function previewDeposit(rpc: PublicClient, { address, asset }: RegistryEntry): Promise<bigint> {
  const args = [10n ** BigInt(asset.decimals)] as const;
  return rpc.readContract({ address, abi: erc4626Abi, functionName: 'previewDeposit', args });
}

const mappingSlot = (key: Address, slot: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [key, slot]));
