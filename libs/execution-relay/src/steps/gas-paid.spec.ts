import { canonical, suite } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import { encodeAbiParameters, encodeEventTopics, erc20Abi, keccak256, type Address, type Log } from 'viem';
import { createFakeChain } from '../../test/support/fake-chain.js';
import { gasPaid } from './gas-paid.js';

const { chain } = createFakeChain();
const sender = testAccount('owner').address;
const usdc = canonical.usdc[8453];

function transfer(from: Address, to: Address, value: bigint, address: Address = usdc): Log {
  return {
    address,
    topics: encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to } }),
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  } as unknown as Log;
}

describe('gasPaid', () => {
  it('behavior: a paymaster without our event: what went to it and did not come back', () => {
    const stranger = testAccount('stranger').address;
    const bundleLogs = [
      transfer(sender, suite.paymaster, 500_000n),
      transfer(sender, stranger, 9n),
      transfer(stranger, suite.paymaster, 9n),
      transfer(sender, suite.paymaster, 9n, canonical.weth[8453]),
      transfer(suite.paymaster, sender, 480_001n),
    ];
    expect(gasPaid(chain, keccak256('0x'), sender, { bundleLogs })).toEqual({
      token: usdc,
      amount: '0.019999',
    });
  });

  it('behavior: nothing was paid', () => {
    expect(gasPaid(chain, keccak256('0x'), sender, { bundleLogs: [] })).toEqual({ token: usdc, amount: '0' });
  });
});
