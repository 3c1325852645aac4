import { canonical } from '@yield-vault/contracts';
import { localVaults, type LocalVaultKind } from '@yield-vault/testing/local';
import { fundWallet } from '@yield-vault/devnet';
import { vaultIdOf } from '@yield-vault/protocol';
import { createWalletClient, erc20Abi, erc4626Abi, http, parseAbi, publicActions, type Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { devnetChains } from '../test/support/devnet.js';
import { fundedAgent, runIntent, setUp, type FundedAgent } from '../test/support/funded-agent.js';
import { startServer, type Server } from '../test/support/start-server.js';

const vaults = localVaults[8453].map((vault) => ({ ...vault, vaultId: vaultIdOf(8453, vault.address) }));
/** A deposit into these is refused: it would fail, or nobody should make it. */
const refused = new Set<LocalVaultKind>([
  ...(['paused', 'async', 'whitelist', 'minimum', 'gas-bomb', 'impostor', 'mislabelled'] as const),
]);
/** The registry says that it holds USDC; the chain says WETH. */
const contradicted = vaults.find(({ kind }) => kind === 'mislabelled')!;
const amounts = { USDC: '2', WETH: '0.002' };

describe('vaults of every kind', () => {
  let server: Server;
  let api: ApiClient;
  let agent: FundedAgent;

  beforeAll(async () => {
    server = await startServer({ backfillHours: 48 });
    api = await createApiClient(server.url);
    agent = await fundedAgent();
    await fundWallet(devnetChains().base, agent.address, { ethWei: 10n ** 17n });
    await wrapEther(agent, 10n ** 16n);
    await setUp(api, agent, vaults.find(({ asset, kind }) => asset === 'USDC' && kind === 'steady')!.vaultId);
  }, 60_000);
  afterAll(() => server?.stop());

  const deposit = (vault: (typeof vaults)[number], amount: string) => ({
    ...{ operation: 'deposit', agentAddress: agent.address, vaultId: vault.vaultId },
    asset: vault.asset,
    amount,
  });
  const run = (body: object) => runIntent(api, agent, body);
  const open = vaults.filter(({ kind }) => !refused.has(kind));
  const titled = (list: typeof vaults) =>
    list.map((vault) => [vault.kind, vault.asset, vault.name, vault] as const);

  it.each(titled(open))(
    '%s, %s (%s): deposit, then redeem by shares and by percentage',
    async (_, asset, __, vault) => {
      const deposited = await run(deposit(vault, amounts[asset]));
      expect(deposited.positionUpdate).toMatchObject({ vaultId: vault.vaultId, assetsDelta: amounts[asset] });
      const { positions } = await api.status(agent.address);
      const position = positions.find(({ vaultId }) => vaultId === vault.vaultId);
      // An exit fee of 0.1 % is the most that may be missing at once.
      expect(Number(position?.currentValue)).toBeGreaterThan(Number(amounts[asset]) * 0.998);

      const redeem = { operation: 'redeem', vaultId: vault.vaultId };
      const shares = await agent.shareBalance(vault.address);
      await run({ ...redeem, shares: (shares / 4n).toString() });
      expect(await agent.shareBalance(vault.address)).toBe(shares - shares / 4n);
      await run({ ...redeem, percentage: 100 });
      expect(await agent.shareBalance(vault.address)).toBe(0n);
    },
  );

  it.each(titled(vaults.filter(({ kind }) => refused.has(kind))))(
    '%s, %s (%s): takes no deposit',
    async (_, asset, __, vault) => {
      const { status, body } = await api.refused('POST', '/v1/yield/prepare', deposit(vault, amounts[asset]));
      expect([status, body.code]).toEqual([400, 'NO_SUITABLE_VAULTS']);
      const listed = (await api.discover({ limit: 20 })).vaults;
      expect(listed.map(({ vaultId }) => vaultId)).not.toContain(vault.vaultId);
    },
  );

  it('behavior: a holder of a vault that the chain contradicts sees the position, and can redeem and rebalance it', async () => {
    const { address, vaultId, name } = contradicted;
    await enter(agent, address, 2n * 10n ** 15n);
    const positionOf = async () =>
      (await api.status(agent.address)).positions.find((position) => position.vaultId === vaultId);
    expect(await positionOf()).toMatchObject({ vaultName: name, depositedAmount: amounts.WETH });

    const shares = await agent.shareBalance(address);
    const redeemed = await run({ vaultId, operation: 'redeem', percentage: 50 });
    expect(redeemed.positionUpdate).toMatchObject({ vaultId, vaultName: name });
    expect(Number(redeemed.positionUpdate.assetsDelta)).toBeCloseTo(-0.001, 6);
    expect(await agent.shareBalance(address)).toBe(shares - shares / 2n);

    const moved = await run({ vaultId, operation: 'rebalance' });
    expect(moved.sourcePositionUpdate).toMatchObject({ vaultId });
    const target = vaults.find((vault) => vault.vaultId === moved.positionUpdate.vaultId);
    expect(target?.asset).toBe('WETH');
    expect(await agent.shareBalance(address)).toBe(0n);
    expect(await positionOf()).toBeUndefined();
  });

  it.each(titled(vaults.filter(({ room }) => room !== undefined)))(
    '%s, %s (%s): takes no more than it has room for',
    async (_, asset, __, vault) => {
      const tooMuch = (vault.room ?? 0) * 2;
      await fundWallet(devnetChains().base, agent.address, { usdc: BigInt(tooMuch + 100) * 1_000_000n });
      const { status, body } = await api.refused(
        'POST',
        '/v1/yield/prepare',
        deposit(vault, String(tooMuch)),
      );
      expect([status, body.code, asset]).toEqual([400, 'VAULT_AT_CAPACITY', 'USDC']);
    },
  );
});

const clientOf = ({ privateKey }: FundedAgent) =>
  createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: base,
    transport: http(devnetChains().base.rpcUrl),
  }).extend(publicActions);

async function wrapEther(agent: FundedAgent, value: bigint): Promise<void> {
  const client = clientOf(agent);
  await client.writeContract({
    address: canonical.weth[8453],
    abi: parseAbi(['function deposit() payable']),
    functionName: 'deposit',
    value,
  });
}

/** Deposit WETH without the service, which would refuse to. */
async function enter(agent: FundedAgent, vault: Address, assets: bigint): Promise<void> {
  const client = clientOf(agent);
  const token = { address: canonical.weth[8453], abi: erc20Abi } as const;
  const approved = await client.writeContract({ ...token, functionName: 'approve', args: [vault, assets] });
  await client.waitForTransactionReceipt({ hash: approved });
  const args = [assets, agent.address] as const;
  const hash = await client.writeContract({ address: vault, abi: erc4626Abi, functionName: 'deposit', args });
  expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success');
}
