import { canonical, entryPointV08Abi, localContracts } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import {
  encodeAbiParameters,
  encodeEventTopics,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import { findOperations, findPayments, ownTopic, senderTopics } from './gas-payments.js';

const { entryPointV08: entryPoint } = canonical;
const usdc = canonical.usdc[8453];
const { paymaster } = localContracts;
const contracts = { entryPoint, contracts: localContracts, usdc };
const sender = testAccount('owner').address;
const userOpHash: Hex = `0x${'ab'.repeat(32)}`;

const log = (address: Address, topics: unknown, data: Hex) =>
  ({ address, topics, data, blockNumber: 7n, logIndex: 3, removed: false }) as unknown as Log;

const own = (token: Address = usdc, address: Address = paymaster) =>
  log(
    address,
    encodeEventTopics({
      abi: parseAbi([
        'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed token, uint256 tokenAmount, uint256 tokenPerNative)',
      ]),
      args: { userOpHash, token },
    }),
    encodeAbiParameters(parseAbiParameters('uint256, uint256'), [42n, 1n]),
  );
const circle = log(
  paymaster,
  encodeEventTopics({
    abi: parseAbi([
      'event UserOperationSponsored(address indexed token, address indexed sender, bytes32 userOpHash, uint256 nativeTokenPrice, uint256 actualTokenNeeded, uint256 feeTokenAmount)',
    ]),
    args: { token: usdc, sender },
  }),
  encodeAbiParameters(parseAbiParameters('bytes32, uint256, uint256, uint256'), [userOpHash, 1n, 42n, 2n]),
);
const singleton = log(
  paymaster,
  encodeEventTopics({
    abi: parseAbi([
      'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed user, uint8 paymasterMode, address token, uint256 tokenAmountPaid, uint256 exchangeRate)',
    ]),
    args: { userOpHash, user: sender },
  }),
  encodeAbiParameters(parseAbiParameters('uint8, address, uint256, uint256'), [1, usdc, 42n, 9n]),
);
const ended = (of: Address, address: Address = entryPoint) =>
  log(
    address,
    encodeEventTopics({
      ...{ abi: entryPointV08Abi, eventName: 'UserOperationEvent' },
      args: { userOpHash, sender, paymaster: of },
    }),
    encodeAbiParameters(parseAbiParameters('uint256, bool, uint256, uint256'), [0n, false, 1n, 1n]),
  );

describe('findPayments', () => {
  it.each([
    ['ours', own()],
    ['Circle’s', circle],
    ['a singleton paymaster’s', singleton],
  ])('default: an event like %s', (_, event) => {
    expect(findPayments([event], contracts)).toEqual([
      { userOpHash, amount: 42n, blockNumber: 7n, logIndex: 3 },
    ]);
  });

  it('behavior: another token and another contract do not count', () => {
    expect(findPayments([own(sender), own(usdc, sender)], contracts)).toEqual([]);
  });
});

describe('findOperations', () => {
  it('default: a failed operation that the paymaster paid for', () => {
    expect(findOperations([ended(paymaster)], contracts)).toEqual([
      { userOpHash, blockNumber: 7n, logIndex: 3 },
    ]);
  });

  it('behavior: operations without this paymaster or of another entry point do not count', () => {
    expect(findOperations([ended(zeroAddress), ended(paymaster, sender)], contracts)).toEqual([]);
  });
});

it('behavior: one query by the third topic finds all events but ours', () => {
  const topic = sender.slice(2).toLowerCase();
  for (const { topics } of [circle, singleton, ended(paymaster)]) {
    expect(senderTopics).toContain(topics[0]);
    expect(topics[2]).toContain(topic);
  }
  expect(own().topics.slice(0, 2)).toEqual([ownTopic, userOpHash]);
});
