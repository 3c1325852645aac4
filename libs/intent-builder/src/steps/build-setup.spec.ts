import { setupTicketId, UpstreamUnavailableError } from '@yield-vault/protocol';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import { keccak256 } from 'viem';
import { buildOrder, chainWithFees, nowMs, options } from '../../test/build-order.js';
import { buildSetup } from './build-setup.js';

const order = buildOrder({ chain: chainWithFees(1_200_000_000n, 1_000_000n) });
const { account, ...modules } = order.chain.contracts;

describe('buildSetup', () => {
  it('default: full', async () => {
    const built = await buildSetup(order, 'full', options, nowMs);
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

  it('default: modules', async () => {
    const { setup, setupTicket } = await buildSetup(order, 'modules', options, nowMs);
    expect(setup).toMatchObject({ setupType: 'modules', authorization: null });
    expect(setup.description).toContain('type-2');
    expect(setupTicket.setupType).toBe('modules');
  });

  it('error: UpstreamUnavailableError without fees', async () => {
    const attempt = buildSetup(buildOrder(), 'full', options, nowMs);
    await expect(attempt).rejects.toThrow(UpstreamUnavailableError);
    await expect(attempt).rejects.toMatchObject({ details: { dependency: 'rpc:base' } });
  });
});
