import { localAddresses, localVaults } from '@yield-vault/testing/local';
import { createPublicClient, erc20Abi, erc4626Abi, http, type Address } from 'viem';
import { createDifficultVaults, startDevnet, type Devnet } from '../src/index.js';

const owner: Address = '0x3000000000000000000000000000000000000003';
const million = 1_000_000_000_000n;
const { usdc } = localAddresses[8453];

describe('createDifficultVaults', () => {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false });
  }, 60_000);
  afterAll(() => devnet?.stop());

  const bench = () => {
    const [chain] = devnet.chains;
    const client = createPublicClient({ transport: http(chain!.rpcUrl) });
    const balance = (token: Address) =>
      client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
    const preview = (address: Address, shares: bigint) =>
      client.readContract({ address, abi: erc4626Abi, functionName: 'previewRedeem', args: [shares] });
    return { local: createDifficultVaults(chain!), balance, preview };
  };

  it('default: an empty USDC vault beside the registry’s; options take effect', async () => {
    const { local, balance, preview } = bench();
    const vault = await local.deployVault({ name: 'expensive exit' });
    expect(localVaults[8453].map(({ address }) => address)).not.toContain(vault);
    await local.depositFor(vault, owner, million);
    expect(await balance(vault)).toBe(million);
    await local.change(vault, 'setFees', [0n, 200n]);
    expect(await preview(vault, million)).toBe((million * 98n) / 100n);
  });

  it('behavior: a donation moves the price only of a vault that counts it', async () => {
    const { local, preview } = bench();
    const vault = await local.deployVault({ name: 'donations', decimalsOffset: 6 });
    await local.depositFor(vault, owner, million);
    await local.mint(usdc, vault, million);
    expect(await preview(vault, million * 10n ** 6n)).toBe(million);
    await local.change(vault, 'setDonatable', []);
    expect(await preview(vault, million * 10n ** 6n)).toBe(million * 2n - 1n);
  });

  it('behavior: a token that takes a fee of every transfer, and a vault of it', async () => {
    const { local, balance } = bench();
    const asset = await local.deployFeeToken('fee');
    const vault = await local.deployVault({ name: 'of a fee token', asset });
    await local.setTransferFee(asset, 100n);
    await local.mint(asset, owner, million);
    expect(await balance(asset)).toBe(million);
    await local.depositFor(vault, owner, million);
    expect(await balance(vault)).toBe(million);
  });

  it('error: a revert is reported with the failed step', async () => {
    const { local } = bench();
    await local.deployVault({ name: 'twice' });
    await expect(local.deployVault({ name: 'twice' })).rejects.toThrow('The deployment of twice reverted');
  });
});
