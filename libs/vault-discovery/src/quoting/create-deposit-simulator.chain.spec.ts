import { silentLogger } from '@yield-vault/protocol';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import {
  localAddresses,
  type LocalVaultKind,
  localVaults,
  provisionLocalChain,
} from '@yield-vault/testing/local';
import { createPublicClient, createTestClient, http, parseUnits, publicActions } from 'viem';
import { createDepositSimulator, type DepositSimulator } from './create-deposit-simulator.js';

jest.setTimeout(120_000);

const chainId = 8453;
const asset = { symbol: 'USDC', address: localAddresses[chainId].usdc, decimals: 6 };
const definitionOf = (kind: LocalVaultKind) =>
  localVaults[chainId].find((vault) => vault.kind === kind && vault.asset === 'USDC')!;

describe('createDepositSimulator on a local chain', () => {
  let anvil: Anvil;
  let deposit: DepositSimulator;
  const simulate = (kind: LocalVaultKind, isHeld = false) => {
    const { address: vaultAddress, decimalsOffset } = definitionOf(kind);
    return deposit(
      { vaultAddress, asset, shareDecimals: 6 + decimalsOffset },
      parseUnits('25000', 6),
      isHeld,
    );
  };

  beforeAll(async () => {
    anvil = await startAnvil({ chainId });
    const node = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(publicActions);
    await provisionLocalChain(node as never, chainId);
    const rpc = createPublicClient({ transport: http(anvil.rpcUrl) });
    deposit = createDepositSimulator({ key: 'base', rpc }, silentLogger);
  });
  afterAll(() => anvil?.stop());

  it.each(['steady', 'exit-fee', 'gas-bomb'] as const)('default: shares and rate of %s', async (kind) => {
    const { apyPercent, sharePrice, decimalsOffset } = definitionOf(kind);
    for (const isHeld of [false, true]) {
      const simulated = await simulate(kind, isHeld);
      if (simulated.kind !== 'simulated') throw new Error(simulated.kind);
      expect(simulated.apy).toBeCloseTo(apyPercent, 5);
      const wholeShares = Number(simulated.shares) / 10 ** (6 + decimalsOffset);
      expect(wholeShares * sharePrice).toBeCloseTo(25_000, 0);
    }
  });

  it.each([
    ['capped', 'ERC4626ExceededMaxDeposit'],
    ['paused', 'EnforcedPause'],
  ] as const)('behavior: %s refuses the amount, and shows the rate to its holders', async (kind, reason) => {
    expect(await simulate(kind)).toEqual({ kind: 'reverted', reason });
    expect(await simulate(kind, true)).toMatchObject({
      kind: 'simulated',
      apy: expect.closeTo(definitionOf(kind).apyPercent, 5),
    });
  });
});
