import { silentLogger } from '@yield-vault/protocol';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import {
  createDifficultVaults,
  type DifficultVaults,
  localAddresses,
  type LocalVaultKind,
  localVaults,
  provisionLocalChain,
} from '@yield-vault/testing/local';
import {
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  erc20Abi,
  http,
  parseUnits,
  publicActions,
} from 'viem';
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

  /** A vault with deposits and no yield. */
  const simulateDifficult = async (
    name: string,
    change: (vaults: DifficultVaults, vaultAddress: `0x${string}`) => Promise<void>,
  ) => {
    const vaults = createDifficultVaults({ rpcUrl: anvil.rpcUrl, chainId });
    const vaultAddress = await vaults.deployVault({ name });
    await vaults.depositFor(vaultAddress, localAddresses[chainId].usdc, parseUnits('1000000000', 6));
    await change(vaults, vaultAddress);
    return deposit({ vaultAddress, asset, shareDecimals: 6 }, parseUnits('25000', 6), false);
  };

  it('behavior: what a deposit loses', async () => {
    const simulated = await simulateDifficult('Entry fee', (vaults, vault) =>
      vaults.change(vault, 'setFees', [200n, 0n]),
    );
    expect(simulated).toMatchObject({ kind: 'simulated', lost: expect.closeTo(0.02, 4) });
  });

  it('attack: no rate from a price that only callers without shares see', async () => {
    const simulated = await simulateDifficult('Liar', (vaults, vault) =>
      vaults.change(vault, 'setLying', []),
    );
    expect(simulated).toMatchObject({ kind: 'simulated', lost: 0, apy: undefined });
  });

  it('attack: a vault refuses in the words of the asset', async () => {
    const args = [localAddresses[chainId].usdc, parseUnits('1', 30)] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
    const simulated = await simulateDifficult('Mimic', (vaults, vault) =>
      vaults.change(vault, 'setAttack', [asset.address, data, true]),
    );
    expect(simulated).toEqual({ kind: 'reverted', reason: 'INSUFFICIENT_BALANCE' });
  });

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
