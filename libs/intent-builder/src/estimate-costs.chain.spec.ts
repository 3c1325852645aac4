import { capabilityProbeAbi, capabilityProbeDeployedBytecode } from '@yield-vault/contracts';
import type { PrepareRequest, RankedVault } from '@yield-vault/protocol';
import { decodeFunctionResult, encodeAbiParameters, encodeFunctionData, keccak256, numberToHex } from 'viem';
import { listLocalVault } from '../test/build-catalogue.js';
import { localVault, startLocalDeployment, type LocalDeployment } from '../test/local-deployment.js';
import { createWallets } from '../test/wallets.js';

// Plain, with a cap, and one that lends and stores a time for each holder.
const vaults = (['steady', 'capped', 'lending'] as const).map((kind) => listLocalVault(localVault(kind)));
const lending = vaults[2];
const holder = '0x00000000000000000000000000000000000c0de1';
const probed = 10_000_000n;
let local: LocalDeployment;
let wallets: ReturnType<typeof createWallets>;

beforeAll(async () => {
  local = await startLocalDeployment();
  wallets = createWallets(local, vaults as [RankedVault, ...RankedVault[]]);
  await wallets.configured('costs');
  // The first operation fills the empty balance of the paymaster.
  await wallets.run('costs', await wallets.executionOf('costs', { amount: '1' }));
}, 120_000);
afterAll(() => local.stop());

/** Measure the gas of a vault as discovery does. */
async function measured(vault: RankedVault): Promise<RankedVault> {
  const { vaultAddress, asset } = vault;
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [holder, 9n]));
  const probe = { abi: capabilityProbeAbi, functionName: 'probe' } as const;
  const { data } = await local.chain.rpc.call({
    to: holder,
    data: encodeFunctionData({ ...probe, args: [vaultAddress, asset.address, probed] }),
    stateOverride: [
      { address: holder, code: capabilityProbeDeployedBytecode },
      { address: asset.address, stateDiff: [{ slot, value: numberToHex(probed, { size: 32 }) }] },
    ],
  });
  const { depositGas, redeemGas } = decodeFunctionResult({ ...probe, data: data! });
  return { ...vault, gas: { deposit: Number(depositGas), redeem: Number(redeemGas) } };
}

describe('estimateCosts', () => {
  const costsOf = async (vault: RankedVault) => (await wallets.build().estimateCosts(vault.chain))(vault);

  it('default: within 15 % of what deposits and redeems are charged', async () => {
    const { paymaster } = local.chain.contracts;
    for (const vault of vaults) {
      const costs = await costsOf(await measured(vault));
      const expectCharge = async (request: Partial<PrepareRequest>, usd: number) => {
        const execution = await wallets.executionOf('costs', { vaultId: vault.vaultId, ...request });
        const before = await wallets.balance(paymaster);
        await wallets.run('costs', execution);
        const charged = Number((await wallets.balance(paymaster)) - before) / 1e6;
        const deviation = usd / charged - 1;
        expect({ vault: vault.name, ...request, deviation, fits: Math.abs(deviation) < 0.15 }).toMatchObject({
          fits: true,
        });
      };
      await expectCharge({ amount: '5' }, costs.depositGasUsd);
      // A later deposit writes none of the holder's storage anew: here 21 % cheaper.
      if (vault !== lending) await expectCharge({ amount: '5' }, costs.depositGasUsd);
      await expectCharge({ operation: 'redeem', percentage: 50 }, costs.redeemGasUsd);
      await expectCharge({ operation: 'redeem', percentage: 100 }, costs.redeemGasUsd);
    }
  });

  it('behavior: a vault without a measurement counts as a typical one, and a setup as its transaction', async () => {
    const [vault] = vaults;
    const { setupGasUsd, depositGasUsd } = await costsOf(vault!);
    const unknown = { ...vault!, gas: { deposit: 0, redeem: 0 } };
    const typical = await costsOf(unknown);
    expect(typical.depositGasUsd).toBeGreaterThan(depositGasUsd);
    await local.fund(wallets.addressOf('new'), 10_000_000n);
    const setup = await wallets.setupOf('new', { amount: '1' });
    expect(setup.costs!.setupGasUsd).toBeCloseTo(setupGasUsd, 4);
    expect(setup.costs!.gasUsd).toBeCloseTo(depositGasUsd, 4);
    const { gasUsed } = await wallets.sendTransaction('new', setup);
    // 11.2k gas of the paymaster belong to every charge of a deposit.
    const perGas = depositGasUsd / (143_000 + 55_700 + 11_200);
    expect(setupGasUsd / perGas).toBeCloseTo(Number(gasUsed), -3);
  });
});
