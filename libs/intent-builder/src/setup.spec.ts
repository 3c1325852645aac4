import { setupTicketId } from '@yield-vault/protocol';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import { keccak256 } from 'viem';
import { buildRequest, nowMs, options } from '../test/build-request.js';
import { buildSetup } from './setup.js';

const request = buildRequest();
const wallet = {
  fees: { maxFeePerGas: 1_200_000_000n, maxPriorityFeePerGas: 1_000_000n },
  setupNonces: undefined,
};
const { account, ...modules } = request.chain.contracts;

describe('buildSetup', () => {
  it('default: full', () => {
    const built = buildSetup(request, 'full', options, wallet, nowMs);
    const initCalldata = encodeInitializeAccount({
      ...modules,
      token: request.chain.usdc,
      allowance: options.paymasterAllowanceUsdc,
    });
    expect(built.setup).toEqual({
      setupType: 'full',
      description: expect.stringContaining('type-4') as string,
      authorization: { contractAddress: account, chainId: 8453 },
      initCalldata,
      to: request.wallet,
      gas: { gasLimit: '150000', maxFeePerGas: '2400000000', maxPriorityFeePerGas: '1000000' },
    });
    expect(built.setupTicket).toEqual({
      version: 1,
      walletAddress: request.wallet,
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
    const { setup } = buildSetup(request, 'full', { ...options, paymasterAllowanceUsdc: 0n }, wallet, nowMs);
    const expected = { ...modules, token: request.chain.usdc, allowance: 0n };
    expect(setup.initCalldata).toBe(encodeInitializeAccount(expected));
    expect(setup.description).not.toContain('USDC');
  });

  it('default: modules', () => {
    const { setup, setupTicket } = buildSetup(request, 'modules', options, wallet, nowMs);
    expect(setup).toMatchObject({ setupType: 'modules', authorization: null });
    expect(setup.description).toContain('type-2');
    expect(setupTicket.setupType).toBe('modules');
  });
});
