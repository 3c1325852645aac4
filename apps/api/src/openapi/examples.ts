import { canonical, chainFacts, localContracts, walletContracts } from '@yield-vault/contracts';
import { vaultIdOf } from '@yield-vault/protocol';

/** A USDC vault that every local deployment lists on Base. */
const localVault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const base = 8453;

/** Values that the documentation shows. They exist on the local deployment, so that "Try it out" works there. */
export const examples = {
  agentAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  vaultAddress: localVault,
  vaultId: vaultIdOf(base, localVault),
  vaultName: 'Harbor USDC Prime',
  protocol: 'Harbor',
  usdc: chainFacts(base).usdc.address,
  entryPoint: canonical.entryPointV08,
  implementation: walletContracts.account,
  validator: walletContracts.validator,
  executor: walletContracts.executor,
  paymaster: localContracts(base).paymaster,
  router: walletContracts.router,
  /** No chain has code at this address. On forks of real chains, well-known test accounts may delegate to any code. */
  testWallet: '0x6ac6Fa4fEaEaC3ce37CF6d3eDb1dB293DD000c34',
  /** Of a setup with our paymaster: the delegation is all. */
  initCalldata: '0x',
  payTo: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  forkId: 'base-5c0d1f2e3a4b',
  hash32: `0x${'5c'.repeat(32)}`,
  signature: `0x${'00'.repeat(65)}`,
} as const;
