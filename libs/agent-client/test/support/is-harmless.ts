import type { PreparedIntentEnvelope } from '@yield-vault/protocol';
import { getAddress, MaxUint256 } from 'ethers';
import type { ExpectedOperation } from '../../src/index.js';
import { local } from './book.js';
import { now, wallet } from './build-prepared.js';
import { readWithEthers, type HookRecord } from './read-with-ethers.js';

/**
 * Judge an envelope of the local contracts on Base a second time: an agent that expects `expected`, and whose gas is
 * usual, loses nothing by signing it. Written from the Solidity sources, without the code under test.
 */
export function isHarmless(envelope: PreparedIntentEnvelope, expected: ExpectedOperation): boolean {
  const records = readWithEthers(envelope);
  const operation = envelope.userOps[0]!.userOperation;
  const number = (text: string | undefined) => BigInt(text ?? 0);
  return (
    envelope.chainId === 8453 &&
    envelope.entryPoint === local.entryPoint &&
    getAddress(operation.sender) === wallet &&
    number(operation.nonce) >> 96n === number(local.validator) &&
    (number(operation.nonce) >> 64n) % 2n ** 32n === 0n &&
    operation.paymasterAndData?.slice(0, 42).toLowerCase() === local.paymaster.address.toLowerCase() &&
    operation.paymasterAndData.length === 106 &&
    envelope.expiry > now &&
    envelope.expiry <= now + 900 &&
    envelope.validAfter < envelope.expiry &&
    records !== undefined &&
    matchesRequest(records, expected)
  );
}

function matchesRequest(records: readonly HookRecord[], expected: ExpectedOperation): boolean {
  const last = records.at(-1);
  const ids = records.map(({ id }) => id).join();
  if (last?.id === 3 && !ids.startsWith('3')) {
    return (
      last.amount <= 100_000_000n && !ids.includes('3,3') && matchesRequest(records.slice(0, -1), expected)
    );
  }
  const [first, second] = records;
  const at = (record: HookRecord | undefined, vault: string) =>
    record !== undefined && record.vault === getAddress(vault) && record.token === local.usdc;
  switch (expected.kind) {
    case 'deposit':
      return (
        ids === '1' &&
        at(first, expected.vault) &&
        first!.amount === expected.amount &&
        first!.minimum >= expected.minShares
      );
    case 'redeem':
      return (
        ids === '2' &&
        at(first, expected.vault) &&
        first!.amount === (expected.shares === 'all' ? MaxUint256 : expected.shares) &&
        first!.minimum >= expected.minAssets
      );
    case 'rebalance':
      return (
        ids === '2,1' &&
        at(first, expected.from) &&
        at(second, expected.to as string) &&
        first!.amount === MaxUint256 &&
        second!.amount === MaxUint256 &&
        first!.minimum >= expected.minAssets &&
        second!.minimum >= expected.minShares
      );
  }
}
