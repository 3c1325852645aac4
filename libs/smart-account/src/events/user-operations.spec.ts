import { canonical, chainFacts, localContracts, sponsoredEvents } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import {
  encodeAbiParameters,
  encodeEventTopics,
  parseAbiParameters,
  zeroAddress,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import { nonceKey } from '../account-call.js';
import { eventTopics } from './event-topics.js';
import { operationAbi, parseUserOperations } from './user-operations.js';

const { entryPointV08: entryPoint } = canonical;
const usdc = chainFacts(8453).usdc.address;
const { paymaster, validator } = localContracts(8453);
const contracts = { entryPoint, paymaster, usdc, validator };
const sender = testAccount('owner').address;
const userOpHash: Hex = `0x${'ab'.repeat(32)}`;
const txHash: Hex = `0x${'cd'.repeat(32)}`;
const nonce = (nonceKey(validator) << 64n) + 5n;

const log = (address: Address, topics: unknown, data: Hex, logIndex = 3) =>
  ({ address, topics, data, transactionHash: txHash, blockNumber: 7n, logIndex }) as unknown as Log;

const own = (address: Address = paymaster) =>
  log(
    address,
    encodeEventTopics({ abi: [sponsoredEvents[0]], args: { userOpHash } }),
    encodeAbiParameters(parseAbiParameters('uint256, uint256'), [42n, 1n]),
  );
const circle = (token: Address = usdc) =>
  log(
    paymaster,
    encodeEventTopics({ abi: [sponsoredEvents[1]], args: { token, sender } }),
    encodeAbiParameters(parseAbiParameters('bytes32, uint256, uint256, uint256'), [userOpHash, 1n, 42n, 2n]),
  );
const singleton = log(
  paymaster,
  encodeEventTopics({ abi: [sponsoredEvents[2]], args: { userOpHash, sender } }),
  encodeAbiParameters(parseAbiParameters('uint8, address, uint256, uint256'), [1, usdc, 42n, 9n]),
);
const ended = (of: Address, { address = entryPoint as Address, nonce: used = nonce } = {}) =>
  log(
    address,
    encodeEventTopics({ abi: operationAbi, args: { userOpHash, sender, paymaster: of } }),
    encodeAbiParameters(parseAbiParameters('uint256, bool, uint256, uint256'), [used, false, 1n, 1n]),
    4,
  );
const operation = { wallet: sender.toLowerCase(), nonce, userOpHash, txHash, blockNumber: 7n, logIndex: 4 };

describe('parseUserOperations', () => {
  it.each([
    ['ours', own()],
    ['Circle’s', circle()],
    ['a singleton paymaster’s', singleton],
  ])('default: a failed operation, paid by an event like %s', (_, event) => {
    expect(parseUserOperations([ended(paymaster), event], contracts)).toEqual([
      { ...operation, gasUsdc: 42n },
    ]);
  });

  it.each([
    ['in another token', circle(sender)],
    ['of another contract', own(sender)],
  ])('behavior: a payment %s does not count', (_, event) => {
    const [found] = parseUserOperations([event, ended(paymaster)], contracts);
    expect(found).toEqual({ ...operation, gasUsdc: undefined });
  });

  it('behavior: our validator or our paymaster makes an operation ours', () => {
    expect(parseUserOperations([ended(zeroAddress)], contracts)).toHaveLength(1);
    expect(parseUserOperations([ended(paymaster, { nonce: 5n })], contracts)).toHaveLength(1);
    expect(parseUserOperations([ended(zeroAddress, { nonce: 5n })], contracts)).toEqual([]);
  });

  it('behavior: another entry point does not count, and a repeated event counts once', () => {
    expect(parseUserOperations([ended(paymaster, { address: sender })], contracts)).toEqual([]);
    expect(parseUserOperations([ended(paymaster), ended(paymaster)], contracts)).toHaveLength(1);
  });
});

describe('eventTopics', () => {
  it('behavior: one query by the third topic finds all events of operations but ours', () => {
    const topic = sender.slice(2).toLowerCase();
    const { userOperation, circlePayment, singletonPayment, ownPayment } = eventTopics;
    const found = [ended(paymaster), circle(), singleton];
    expect(found.map(({ topics }) => topics[0])).toEqual([userOperation, circlePayment, singletonPayment]);
    for (const { topics } of found) expect(topics[2]).toContain(topic);
    expect(own().topics.slice(0, 2)).toEqual([ownPayment, userOpHash]);
  });
});
