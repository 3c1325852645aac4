import { setupTicketId } from '@yield-vault/protocol';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import { keccak256 } from 'viem';
import { buildOrder, nowMs, options } from '../../test/build-order.js';
import { buildSetup } from './build-setup.js';

const order = buildOrder();
const fees = { maxFeePerGas: 1_200_000_000n, maxPriorityFeePerGas: 1_000_000n };
const { account, ...modules } = order.chain.contracts;

describe('buildSetup', () => {
  it('default: full', () => {
    const built = buildSetup(order, 'full', options, fees, nowMs);
    const initCalldata = encodeInitializeAccount({
      ...modules,
      token: order.chain.usdc,
      allowance: options.paymasterAllowanceUsdc,
    });
    expect(built.setup).toEqual({
      setupType: 'full',
      description: expect.stringContaining('type-4') as string,
      authorization: { contractAddress: account, chainId: 8453 },
      initCalldata,
      to: order.wallet,
      gas: { gasLimit: '400000', maxFeePerGas: '2400000000', maxPriorityFeePerGas: '1000000' },
    });
    expect(built.setupTicket).toEqual({
      version: 1,
      walletAddress: order.wallet,
      chainId: 8453,
      implementation: account,
      initCalldataHash: keccak256(initCalldata),
      setupType: 'full',
      expiresAt: '2026-09-21T15:15:00.000Z',
    });
    expect(built.intentId).toBe(setupTicketId(built.setupTicket));
    expect(built).toMatchObject({ needsSetup: true, execution: null, intentEnvelope: null });
  });

  it('behavior: a paymaster that takes no USDC is allowed none', () => {
    const { setup } = buildSetup(order, 'full', { ...options, paymasterAllowanceUsdc: 0n }, fees, nowMs);
    const expected = { ...modules, token: order.chain.usdc, allowance: 0n };
    expect(setup.initCalldata).toBe(encodeInitializeAccount(expected));
    expect(setup.description).not.toContain('USDC');
  });

  it('default: modules', () => {
    const { setup, setupTicket } = buildSetup(order, 'modules', options, fees, nowMs);
    expect(setup).toMatchObject({ setupType: 'modules', authorization: null });
    expect(setup.description).toContain('type-2');
    expect(setupTicket.setupType).toBe('modules');
  });
});
