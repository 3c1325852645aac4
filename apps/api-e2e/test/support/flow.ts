import {
  setupChecks,
  type PrepareExecutionResponse,
  type PrepareResponse,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import type { Agent, CreateAgent } from './agent.js';
import { createApiClient, type ApiClient } from './api-client.js';
import { forkedChains, sharedForkService } from './devnet.js';
import { agentOnFork, signPrepared } from './funded-agent.js';
import { startServer, type Server } from './start-server.js';

/** Too little for the initialisation, enough for the transaction to be included: it reverts and delegates. */
const gasThatReverts = 60_000n;

const userOperationFields = [
  ...['callData', 'callGasLimit', 'initCode', 'maxFeePerGas', 'maxPriorityFeePerGas', 'nonce'],
  ...['paymasterAndData', 'preVerificationGas', 'sender', 'signature', 'verificationGasLimit'],
];

/** A chain, and how the wallet gets its modules there. */
export interface Flow {
  readonly chain: 'base' | 'ethereum';
  readonly setup: 'at once' | 'after a failed initialisation';
}

/** Describe the whole flow of fresh agents, from an untouched EOA to a redeemed position, on one server. */
export function describeFlows(library: string, createAgent: CreateAgent, flows: readonly Flow[]): void {
  let server: Server;
  let api: ApiClient;

  beforeAll(async () => {
    server = await startServer({ forkService: sharedForkService(), embedded: true });
    api = await createApiClient(server.url);
  }, 90_000);
  afterAll(() => server?.stop());

  describe.each(flows)(`${library} on $chain, set up $setup`, ({ chain, setup }) => {
    let agent: Agent;
    let vault: { vaultId: string; vaultAddress: string };

    beforeAll(async () => {
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
    const execute = async (prepared: Promise<PrepareResponse>) => {
      const request = await signPrepared(agent, await prepared);
      const { merkleRoot, userOps } = request.intentEnvelope;
      expect((await prepared).intentId).toBe(merkleRoot);
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
      expect(count).toBe(vaults.length);
      expect(vaults.length).toBeGreaterThan(0);
      expect(vaults.every(({ risk, asset }) => risk.level === 'low' && asset === 'USDC')).toBe(true);
      const scores = vaults.map(({ compositeScore }) => compositeScore);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      vault = vaults[0]!;
    });

    it('requires the full setup', async () => {
      const { setupType, setup, setupTicket } = await needsSetup();
      expect(setupType).toBe('full');
      expect(setup.to).toBe(agent.address);
      expect(setup.authorization).toEqual({
        contractAddress: setupTicket.implementation,
        chainId: forkedChains()[chain].chainId,
      });
    });

    if (setup === 'at once') {
      it('sets up', async () => {
        const { setup, setupTicket } = await needsSetup();
        const signedRawTx = await agent.signSetup(setup);
        const relayed = await api.setupRelay({ setupTicket, signedRawTx, confirmations: 1 });
        expect(relayed).toMatchObject({
          receiptStatus: 'success',
          relayMode: 'managed-fork',
          setupType: 'full',
          delegationVerified: true,
          modulesVerified: true,
          verifiedImplementation: setupTicket.implementation,
          setupRequired: 'none',
        });
        expect(relayed.verificationChecks).toEqual(setupChecks);
        // Relaying the same transaction again returns the same response.
        expect(await api.setupRelay({ setupTicket, signedRawTx, confirmations: 1 })).toEqual(relayed);
      });
    } else {
      it('sends a setup whose initialisation reverts: the delegation stays', async () => {
        const { setup, setupTicket } = await needsSetup();
        const signedRawTx = await agent.signSetup(setup, gasThatReverts);
        const { status, body } = await api.refused('POST', '/v1/yield/setup-relay', {
          setupTicket,
          signedRawTx,
          confirmations: 1,
        });
        expect([status, body.code]).toEqual([400, 'SETUP_TRANSACTION_REVERTED']);
        expect(body.details['txHash']).toMatch(/^0x[0-9a-f]{64}$/);
      });

      it('requires the modules setup, which succeeds', async () => {
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
      const { request, response } = await execute(Promise.resolve(prepared));
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
      expect(resolution).toBe('hourly');
      expect(data.length).toBeGreaterThanOrEqual(24);
      expect(summary.dataPoints).toBe(data.length);
    });

    it('redeems one half', async () => {
      const before = await agent.shareBalance(vault.vaultAddress);
      const { response } = await execute(prepare({ operation: 'redeem', percentage: 50 }));
      expect(response.result).toBe('executed');
      expect(response).not.toHaveProperty('sourcePositionUpdate');
      expect(Number(response.positionUpdate.assetsDelta)).toBeCloseTo(-12.5, 1);
      expect(await agent.shareBalance(vault.vaultAddress)).toBe(before - before / 2n);
      expect(Number((await positionHere())?.depositedAmount)).toBeCloseTo(12.5, 4);
    });

    it('redeems everything and no share is left', async () => {
      const prepared = await prepare({ operation: 'redeem', percentage: 100 });
      expect(prepared.execution?.costs).toMatchObject({ exitGasUsd: 0, breakEvenDays: null });
      const { response } = await execute(Promise.resolve(prepared));
      expect(response.result).toBe('executed');
      expect(await agent.shareBalance(vault.vaultAddress)).toBe(0n);
      expect(await positionHere()).toBeUndefined();
    });
  });

  it(`behavior: no list was empty in every response, those excepted that always are (${library})`, async () => {
    await api.forkStatus();
    const envelope = 'POST /v1/yield/prepare body.execution.intentEnvelope';
    expect(api.alwaysEmptyLists()).toEqual([`${envelope}.destinationExecutions`, `${envelope}.proofs[]`]);
  });
}
