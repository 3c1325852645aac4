import { walletContracts, yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  setupChecks,
  type PrepareExecutionResponse,
  type PrepareResponse,
  type PrepareSetupResponse,
  type SetupBlock,
} from '@yield-vault/protocol';
import { createPublicClient, encodeFunctionData, http, type Hex } from 'viem';
import type { Agent } from '../test/support/agent.js';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedServer } from '../test/support/devnet.js';
import { createEthersAgent } from '../test/support/ethers-agent.js';
import { agentOnFork, signPrepared } from '../test/support/funded-agent.js';
import { createViemAgent } from '../test/support/viem-agent.js';

const userOperationFields = [
  ...['callData', 'callGasLimit', 'initCode', 'maxFeePerGas', 'maxPriorityFeePerGas', 'nonce'],
  ...['paymasterAndData', 'preVerificationGas', 'sender', 'signature', 'verificationGasLimit'],
];

// From an untouched EOA to a redeemed position.
describe.each([
  ['ethers', 'base', 'at once', createEthersAgent],
  ['viem', 'ethereum', 'again without a module', createViemAgent],
] as const)('%s on %s, set up %s', (_, chain, setupCase, createAgent) => {
  let api: ApiClient;
  let agent: Agent;
  let vault: { vaultId: string; vaultAddress: string };
  let removal: SetupBlock;

  beforeAll(async () => {
    api = await createApiClient(sharedServer('forked'));
    agent = await agentOnFork(api, chain, createAgent);
  });

  const prepare = (body: object) =>
    api.prepare({ chain, agentAddress: agent.address, vaultId: vault.vaultId, ...body });
  const prepareDeposit = () => prepare({ operation: 'deposit', asset: 'USDC', amount: '25' });
  const needsSetup = async () => {
    const prepared = await prepareDeposit();
    expect(prepared.needsSetup).toBe(true);
    return prepared as PrepareSetupResponse;
  };
  const execute = async (prepared: PrepareResponse) => {
    const request = await signPrepared(agent, prepared);
    const { merkleRoot, userOps } = request.intentEnvelope;
    expect(prepared.intentId).toBe(merkleRoot);
    // The document lets requests leave fields out and add others; a response has exactly these.
    expect(userOps.map((item) => Object.keys(item))).toEqual([['userOperation']]);
    expect(Object.keys(userOps[0]!.userOperation).sort()).toEqual(userOperationFields);
    return { request, response: await api.execute(request) };
  };
  const positionHere = async () => {
    const { positions } = await api.status(agent.address);
    return positions.find(({ vaultId }) => vaultId === vault.vaultId);
  };

  it('discovers a vault of low risk', async () => {
    const { vaults, count } = await api.discover({
      chain,
      asset: 'usdc',
      strategy: 'minimize_risk',
      riskTolerance: 'low',
    });
    expect([count, vaults.length > 0]).toEqual([vaults.length, true]);
    expect(vaults.every(({ risk, asset }) => risk.level === 'low' && asset === 'USDC')).toBe(true);
    const scores = vaults.map(({ compositeScore }) => compositeScore);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    vault = vaults[0]!;
  });

  it('sets up', async () => {
    const { setupType, setup, setupTicket } = await needsSetup();
    expect([setupType, setup.to, setup.initCalldata]).toEqual(['full', agent.address, '0x']);
    const { chainId } = forkedChains()[chain];
    expect(setup.authorization).toEqual({ contractAddress: setupTicket.implementation, chainId });
    const request = { setupTicket, signedRawTx: await agent.signSetup(setup), confirmations: 1 };
    const relayed = await api.setupRelay(request);
    expect(relayed).toMatchObject({
      receiptStatus: 'success',
      relayMode: 'managed-fork',
      setupType: 'full',
      delegationVerified: true,
      modulesVerified: true,
      verifiedImplementation: setupTicket.implementation,
      setupRequired: 'none',
      verificationChecks: setupChecks,
    });
    expect(await api.setupRelay(request)).toEqual(relayed);
    removal = { ...setup, authorization: null, gas: { ...setup.gas, gasLimit: '150000' } };
  });

  if (setupCase === 'again without a module') {
    it('removes a module, and requires the modules setup, which succeeds', async () => {
      const rpc = createPublicClient({ transport: http(forkedChains()[chain].walletRpcUrl) });
      const args = [2n, walletContracts.executor, '0x'] as const;
      const call = { abi: yieldVaultAccountAbi, functionName: 'uninstallModule', args } as const;
      const signed = await agent.signSetup({ ...removal, initCalldata: encodeFunctionData(call) });
      const hash = await rpc.sendRawTransaction({ serializedTransaction: signed as Hex });
      expect((await rpc.waitForTransactionReceipt({ hash })).status).toBe('success');

      const { setupType, setup, setupTicket } = await needsSetup();
      expect([setupType, setup.authorization]).toEqual(['modules', null]);
      const relayed = await api.setupRelay({ setupTicket, signedRawTx: await agent.signSetup(setup) });
      expect(relayed).toMatchObject({ setupType: 'modules', modulesVerified: true, setupRequired: 'none' });
      expect(relayed.verificationChecks).not.toContain('auth-list-valid');
    });
  }

  it('deposits, and the same execute again changes nothing', async () => {
    const prepared = (await prepareDeposit()) as PrepareExecutionResponse;
    const { costs, gasQuote } = prepared.execution;
    expect(costs.gasUsd).toBe(Number(gasQuote.expectedAmount) / 1e6);
    expect(costs.exitGasUsd).toBeGreaterThan(0);
    const { request, response } = await execute(prepared);
    expect(response).toMatchObject({
      executionModel: 'erc4337-validator-intent-v1',
      result: 'executed',
      chain,
      receipt: { status: 'success' },
      positionUpdate: { vaultId: vault.vaultId, assetsDelta: '25' },
    });
    expect(response).not.toHaveProperty('sourcePositionUpdate');
    expect(Number(response.positionUpdate.gasPaid.amount)).toBeGreaterThan(0);
    expect(response.explorerUrl).toContain(response.txHash);
    const shares = await agent.shareBalance(vault.vaultAddress);
    expect(shares).toBeGreaterThan(0n);

    expect(await api.execute(request)).toEqual({ ...response, result: 'already_executed' });
    expect(await agent.shareBalance(vault.vaultAddress)).toBe(shares);
  });

  it('sees its position and the history of the vault', async () => {
    const position = await positionHere();
    expect(position).toMatchObject({ chain, depositedAmount: '25' });
    expect(Number(position?.currentValue)).toBeCloseTo(25, 1);
    expect(Date.now() - Date.parse(position?.depositTimestamp ?? '')).toBeLessThan(120_000);

    const { data, resolution, summary } = await api.history({ vaultId: vault.vaultId, period: '24h' });
    expect([resolution, summary.dataPoints]).toEqual(['hourly', data.length]);
    expect(data.length).toBeGreaterThanOrEqual(24);
  });

  it('redeems one half, then everything, and no share is left', async () => {
    const before = await agent.shareBalance(vault.vaultAddress);
    const { response } = await execute(await prepare({ operation: 'redeem', percentage: 50 }));
    expect(response.result).toBe('executed');
    expect(Number(response.positionUpdate.assetsDelta)).toBeCloseTo(-12.5, 1);
    expect(await agent.shareBalance(vault.vaultAddress)).toBe(before - before / 2n);
    expect(Number((await positionHere())?.depositedAmount)).toBeCloseTo(12.5, 4);

    const prepared = await prepare({ operation: 'redeem', percentage: 100 });
    expect(prepared.execution?.costs).toMatchObject({ exitGasUsd: 0, breakEvenDays: null });
    expect((await execute(prepared)).response.result).toBe('executed');
    expect(await agent.shareBalance(vault.vaultAddress)).toBe(0n);
    expect(await positionHere()).toBeUndefined();
  });
});
