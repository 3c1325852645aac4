import { localAddressBook } from '@yield-vault/agent-client';
import type { UserOperation } from '@yield-vault/protocol';
import { buildIntentEnvelope, startFakeRpc, testAccount } from '@yield-vault/testing';
import { concat, numberToHex, parseGwei, toFunctionSelector } from 'viem';
import { verifyOperation } from './verify-operation.js';

const { account, validator, paymaster, usdc } = localAddressBook.deployments.find(
  ({ chain }) => chain === 'base',
)!;
const vault = '0x3000000000000000000000000000000000000003';
const request = { operation: 'deposit', vault, asset: 'USDC', amount: '25' } as const;
const place = { wallet: testAccount('owner').address, chain: 'base' };

/** `runHooks` with a deposit of 25 USDC into the vault. */
const depositOf25 =
  '0xec105a4000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000069013000000000000000000000000000000000000003833589fcd6edb6e08f4c7c32d4f71b54bda0291300000000000000000000000000000000000000000000000000000000017d78400000000000000000000000000000000000000000000000015923fd3babf700000000000000000000000000000000000000000000000000';

/** What the account pays its paymaster for gas, at most. */
const grantOf = (maximum: bigint) => concat(['0xe3d5260b', usdc, numberToHex(maximum, { size: 12 })]);

/** Its gas costs 20.9 USDC, above the 20 that the local deployment allows. */
const expensive = {
  maxFeePerGas: 5_000_000_000n,
  callGasLimit: 450_000n,
  paymasterData: grantOf(20_700_000n),
};

const envelopeWith = (operation: Partial<UserOperation> = {}) =>
  buildIntentEnvelope({
    validator,
    operation: {
      callData: depositOf25,
      callGasLimit: 125_956n,
      verificationGasLimit: 69_000n,
      preVerificationGas: 52_513n,
      paymaster: paymaster.address,
      paymasterVerificationGasLimit: 70_000n,
      paymasterPostOpGasLimit: 40_000n,
      paymasterData: grantOf(1n),
      ...operation,
    },
  });

describe('verifyOperation without a node', () => {
  const trusted = { rpcUrl: undefined, addressBook: localAddressBook };

  it('default: an envelope within the limits of the deployment', async () => {
    const { verified, unchecked } = await verifyOperation(trusted, place, request, envelopeWith());
    expect(verified.ok).toBe(true);
    expect(unchecked).toEqual([expect.stringContaining('the fees') as string]);
  });

  it('behavior: it says that a percentage of shares was not checked', async () => {
    // The hook has another number, and 25,000,000 shares.
    const callData = depositOf25.replace('6901', '6902') as `0x${string}`;
    const redeem = { operation: 'redeem', vault, asset: 'USDC', percentage: 1 } as const;
    const { unchecked } = await verifyOperation(trusted, place, redeem, envelopeWith({ callData }));
    expect(unchecked).toEqual([expect.stringContaining('the amount of shares for the percentage') as string]);
  });

  it('behavior: maxGasUsdc of the user replaces the limit of the deployment', async () => {
    const verify = (maxGasUsdc?: bigint) =>
      verifyOperation({ ...trusted, maxGasUsdc }, place, request, envelopeWith(expensive));
    await expect(verify()).rejects.toMatchObject({ reason: 'GAS_TOO_EXPENSIVE' });
    expect((await verify(21_000_000n)).verified.ok).toBe(true);
  });

  it.each<[string, Partial<UserOperation>]>([
    ['GAS_TOO_EXPENSIVE', { preVerificationGas: 41_000_000n }],
    ['GAS_TOO_EXPENSIVE', { maxFeePerGas: 90_000_000_000n }],
    ['GAS_TOO_LOW', { callGasLimit: 1n }],
    ['GAS_TOO_LOW', { paymasterPostOpGasLimit: 1n }],
  ])('error: %s of %o', async (reason, operation) => {
    const refused = verifyOperation(trusted, place, request, envelopeWith(operation));
    await expect(refused).rejects.toMatchObject({ name: 'VerificationError', reason });
  });
});

it('behavior: with a node, too, maxGasUsdc of the user replaces the limit of the deployment', async () => {
  const results: Readonly<Record<string, bigint>> = {
    [toFunctionSelector('getNonce(address,uint192)')]: 0n,
    [toFunctionSelector('decimals()')]: 18n,
    [toFunctionSelector('terms()')]: 5_000_000_000n,
    [toFunctionSelector('previewDeposit(uint256)')]: 24_870_000_000_000_000_000n,
    [toFunctionSelector('getL1FeeUpperBound(uint256)')]: 0n,
  };
  const node = await startFakeRpc({
    eth_chainId: () => '0x2105',
    eth_getCode: () => `0xef0100${account.slice(2)}`,
    eth_gasPrice: () => numberToHex(parseGwei('2')),
    eth_call: ([call]) => numberToHex(results[(call as { data: string }).data.slice(0, 10)]!, { size: 32 }),
  });
  const trusted = { rpcUrl: node.rpcUrl, addressBook: localAddressBook };
  const verify = (maxGasUsdc?: bigint) =>
    verifyOperation({ ...trusted, maxGasUsdc }, place, request, envelopeWith(expensive));
  try {
    await expect(verify()).rejects.toMatchObject({ reason: 'GAS_TOO_EXPENSIVE' });
    expect((await verify(21_000_000n)).unchecked).toEqual([]);
  } finally {
    await node.stop();
  }
});
