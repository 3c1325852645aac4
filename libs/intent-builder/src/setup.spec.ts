import { setupTicketId, type SetupType } from '@yield-vault/protocol';
import { encodeInitializeAccount, encodeInitializeAndApprove } from '@yield-vault/smart-account';
import { keccak256, type Hex } from 'viem';
import { buildRequest, nowMs, options } from '../test/build-request.js';
import { buildSetup } from './setup.js';

const request = buildRequest();
const { account, paymaster: spender } = request.chain.contracts;
const wallet = {
  fees: { maxFeePerGas: 1_200_000_000n, maxPriorityFeePerGas: 1_000_000n },
  setupNonces: undefined,
  hasRemovedModule: false,
};
const build = (setupType: SetupType, paymasterAllowanceUsdc: bigint, hasRemovedModule = false) =>
  buildSetup(
    request,
    setupType,
    { ...options, paymasterAllowanceUsdc },
    { ...wallet, hasRemovedModule },
    nowMs,
  );

describe('buildSetup', () => {
  it('default: full', () => {
    const built = build('full', 0n);
    expect(built.setup).toEqual({
      setupType: 'full',
      description:
        'Sign a type-4 transaction to yourself on Base that delegates to the account implementation.',
      authorization: { contractAddress: account, chainId: 8453 },
      initCalldata: '0x',
      to: request.wallet,
      gas: { gasLimit: '80000', maxFeePerGas: '2400000000', maxPriorityFeePerGas: '1000000' },
    });
    expect(built.setupTicket).toEqual({
      version: 1,
      walletAddress: request.wallet,
      chainId: 8453,
      implementation: account,
      initCalldataHash: keccak256('0x'),
      setupType: 'full',
      expiresAt: '2026-09-21T15:15:00.000Z',
    });
    expect(built.intentId).toBe(setupTicketId(built.setupTicket));
    expect(built).toMatchObject({ needsSetup: true, execution: null, intentEnvelope: null });
  });

  it('behavior: the gas limit of a chain that counts its L1 fee as gas', () => {
    const arbitrum = buildRequest({ chain: { ...request.chain, chainId: 42_161 } });
    const { setup } = buildSetup(arbitrum, 'full', { ...options, paymasterAllowanceUsdc: 0n }, wallet, nowMs);
    expect(setup.gas.gasLimit).toBe('1500000');
  });

  const restored = encodeInitializeAccount();
  const allowed = encodeInitializeAndApprove(request.wallet, {
    token: request.chain.usdc,
    spender,
    amount: 100_000_000n,
  });
  it.each<[string, SetupType, bigint, boolean, Hex, RegExp]>([
    ['a wallet that removed a module', 'full', 0n, true, restored, /type-4 .* delegates .* restores/],
    ['a delegated wallet that removed a module', 'modules', 0n, true, restored, /type-2 .* that restores/],
    ['a paymaster with an allowance', 'full', 100_000_000n, false, allowed, /up to 100 USDC for gas\.$/],
    ['only an allowance', 'modules', 100_000_000n, false, allowed, /type-2 .* up to 100 USDC for gas\.$/],
  ])('behavior: %s', (_, setupType, allowance, hasRemovedModule, initCalldata, description) => {
    const { setup, setupTicket } = build(setupType, allowance, hasRemovedModule);
    expect(setup).toMatchObject({ setupType, initCalldata, gas: { gasLimit: '150000' } });
    expect(setup.authorization === null).toBe(setupType === 'modules');
    expect(setup.description).toMatch(description);
    expect(setupTicket).toMatchObject({ setupType, initCalldataHash: keccak256(initCalldata) });
  });
});
