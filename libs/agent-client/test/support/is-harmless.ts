import { paymasterPostOpGas } from '@yield-vault/contracts';
import type { PreparedIntentEnvelope } from '@yield-vault/protocol';
import { getAddress, id, MaxUint256 } from 'ethers';
import type { ExpectedOperation } from '../../src/index.js';
import { local, ofCircle } from './book.js';
import { now, wallet } from './build-prepared.js';
import { readWithEthers, type HookRecord } from './read-with-ethers.js';

/**
 * Judge an envelope of the local contracts on Base, with our paymaster or Circle's, a second time: an agent that expects `expected`, and whose gas is
 * usual, loses nothing by signing it. Written from the Solidity sources, without the code under test.
 */
export function isHarmless(envelope: PreparedIntentEnvelope, expected: ExpectedOperation): boolean {
  const records = readWithEthers(envelope);
  const operation = envelope.userOps[0]!.userOperation;
  const number = (text: string | undefined) => BigInt(text ?? 0);
  return (
    envelope.chainId === 8453 &&
    envelope.entryPoint === local.entryPoint &&
    envelope.signing.domain.verifyingContract === local.validator &&
    getAddress(operation.sender) === wallet &&
    number(operation.nonce) >> 96n === number(local.validator) &&
    (number(operation.nonce) >> 64n) % 2n ** 32n === 0n &&
    paysAtMost(operation, 20_000_000n) &&
    envelope.expiry > now &&
    envelope.expiry <= now + 900 &&
    envelope.validAfter < envelope.expiry &&
    records !== undefined &&
    (!isOurs(operation) || !records.some(({ id: hook }) => hook === 3)) &&
    matchesRequest(records, expected)
  );
}

type Wire = PreparedIntentEnvelope['userOps'][number]['userOperation'];

const isOurs = ({ paymasterAndData = '0x' }: Wire) =>
  getAddress(paymasterAndData.slice(0, 42)) === local.paymaster.address;

const mark = id('GasGrant(address token,uint96 maximum)').slice(2, 10);

/** Our paymaster gets a grant, which pays no more than the gas costs at 5,000 dollars and 20 %. Circle's gets no data. */
function paysAtMost(operation: Wire, most: bigint): boolean {
  const { paymasterAndData = '0x' } = operation;
  if (paymasterAndData.length < 106) return false;
  const data = paymasterAndData.slice(106).toLowerCase();
  if (getAddress(paymasterAndData.slice(0, 42)) === ofCircle.paymaster.address)
    return data === '' || data === '00';
  const maximum = BigInt(`0x${data.slice(48) || '0'}`);
  const limits = [paymasterAndData.slice(42, 74), paymasterAndData.slice(74, 106)];
  const [validation, postOp] = limits.map((digits) => BigInt(`0x${digits}`)) as [bigint, bigint];
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas } = operation;
  const own = [callGasLimit, verificationGasLimit, preVerificationGas].map((limit) => BigInt(limit ?? 0));
  const gas =
    [...own, validation, postOp, postOp / 10n].reduce((sum, limit) => sum + limit) + paymasterPostOpGas;
  return (
    isOurs(operation) &&
    data.length === 72 &&
    data.startsWith(mark) &&
    getAddress(`0x${data.slice(8, 48)}`) === local.usdc &&
    maximum <= most &&
    maximum <= (gas * BigInt(maxFeePerGas ?? 0) * 6_000n) / 10n ** 12n + 2n
  );
}

function matchesRequest(records: readonly HookRecord[], expected: ExpectedOperation): boolean {
  const last = records.at(-1);
  // A deposit of USDC may keep one unit allowed.
  const ids = records.map(({ id: hook }) => (hook === 0x81 ? 1 : hook)).join();
  if (last?.id === 3 && !ids.startsWith('3')) {
    return (
      last.vault === ofCircle.paymaster.address &&
      last.token === local.usdc &&
      last.amount <= 100_000_000n &&
      !ids.includes('3,3') &&
      matchesRequest(records.slice(0, -1), expected)
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
