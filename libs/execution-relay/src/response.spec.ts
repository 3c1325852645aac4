import { chainFacts, localContracts } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import {
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  keccak256,
  parseAbiItem,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import { createFakeChain } from '../test/support/fake-chain.js';
import { gasPaid } from './response.js';

const { chain } = createFakeChain();
const sender = testAccount('owner').address;
const operation = { sender, paymaster: localContracts(8453).paymaster };
const usdc = chainFacts(8453).usdc.address;

function transfer(from: Address, to: Address, value: bigint, address: Address = usdc): Log {
  return {
    address,
    topics: encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to } }),
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  } as unknown as Log;
}

describe('gasPaid', () => {
  it('behavior: a paymaster without our event: transfers to it minus refunds', () => {
    const stranger = testAccount('stranger').address;
    const bundleLogs = [
      transfer(sender, localContracts(8453).paymaster, 500_000n),
      transfer(sender, stranger, 9n),
      transfer(stranger, localContracts(8453).paymaster, 9n),
      transfer(sender, localContracts(8453).paymaster, 9n, chainFacts(8453).wrappedNative.address),
      transfer(localContracts(8453).paymaster, sender, 480_001n),
    ];
    expect(gasPaid(chain, keccak256('0x'), operation, { bundleLogs })).toEqual({
      token: usdc,
      amount: '0.019999',
    });
  });

  it.each([
    [
      'Circle',
      'event UserOperationSponsored(address indexed token, address indexed sender, bytes32 userOpHash, uint256 nativeTokenPrice, uint256 actualTokenNeeded, uint256 feeTokenAmount)',
      [usdc, sender],
      (hash: Hex) => [hash, 3_200_000_000n, 412_345n, 37_486n],
    ],
    [
      'a service',
      'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed user, uint8 paymasterMode, address token, uint256 tokenAmountPaid, uint256 exchangeRate)',
      undefined,
      () => [1, usdc, 412_345n, 3_200_000_000n],
    ],
  ] as const)(
    'behavior: the event of %s distinguishes operations of one sender',
    (_, signature, indexed, data) => {
      const event = parseAbiItem(signature);
      const sponsored = (hash: Hex): Log => {
        const unindexed = event.inputs.filter((input) => !('indexed' in input));
        return {
          address: localContracts(8453).paymaster,
          topics: encodeEventTopics({ abi: [event], args: indexed ?? [hash, sender] } as never),
          data: encodeAbiParameters(unindexed, data(hash) as never),
        } as unknown as Log;
      };
      const other = transfer(sender, localContracts(8453).paymaster, 900_000n);
      const bundleLogs = [other, sponsored(keccak256('0x01')), sponsored(keccak256('0x02'))];
      expect(gasPaid(chain, keccak256('0x02'), operation, { bundleLogs }).amount).toBe('0.412345');
      expect(gasPaid(chain, keccak256('0x03'), operation, { bundleLogs }).amount).toBe('0.9');
    },
  );

  it('behavior: nothing was paid', () => {
    expect(gasPaid(chain, keccak256('0x'), operation, { bundleLogs: [] })).toEqual({
      token: usdc,
      amount: '0',
    });
  });
});
