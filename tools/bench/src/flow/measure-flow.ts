import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fundWallet, startDevnet, startServer, type DevnetChain } from '@yield-vault/devnet';
import {
  intentTypes,
  type DiscoverResponse,
  type PrepareExecutionResponse,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import getPort from 'get-port';
import { createPublicClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** The requests that are timed, in their order. */
export const flowSteps = [
  'discover',
  'prepare (setup)',
  'setup-relay (1 confirmation)',
  'prepare (deposit)',
  'execute (deposit)',
  'execute (again)',
  'status',
  'history (30d)',
  'prepare (redeem)',
  'execute (redeem)',
] as const;
export type FlowStep = (typeof flowSteps)[number];

/** Milliseconds of each step for one wallet. */
export type FlowTimes = Readonly<Record<FlowStep, number>>;

/** Take one new wallet from setup to redeem, and time every request as the agent sees it. */
async function measureFlow(apiUrl: string, local: DevnetChain): Promise<FlowTimes> {
  const account = privateKeyToAccount(generatePrivateKey());
  await fundWallet(local, account.address, { ethWei: 5n * 10n ** 15n, usdc: 50_000_000n });
  const client = createPublicClient({ transport: http(local.rpcUrl) });
  const times: Partial<Record<FlowStep, number>> = {};

  const timed = async <Body>(step: FlowStep, path: string, body?: object): Promise<Body> => {
    const start = performance.now();
    const response = await fetch(`${apiUrl}${path}`, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const result = (await response.json()) as Body;
    times[step] = performance.now() - start;
    if (!response.ok) throw new Error(`${step}: ${JSON.stringify(result)}`);
    return result;
  };
  const sign = async ({ execution: { intentEnvelope } }: PrepareExecutionResponse) => {
    const { domain, message } = intentEnvelope.signing;
    const intentSignature = await account.signTypedData({
      domain,
      types: intentTypes,
      primaryType: 'Intent',
      message: { ...message, chainId: BigInt(message.chainId) },
    });
    return { intentEnvelope, intentSignature };
  };

  const chain = local.key;
  const { vaults } = await timed<DiscoverResponse>('discover', '/v1/yield/discover', {
    chain,
    asset: 'USDC',
  });
  const vaultId = vaults[0]?.vaultId;
  if (vaultId === undefined) throw new Error('No USDC vault is listed');
  const wallet = { chain, agentAddress: account.address, vaultId };
  const deposit = { ...wallet, asset: 'USDC', amount: '25' };

  const { setup, setupTicket } = await timed<PrepareSetupResponse>(
    'prepare (setup)',
    '/v1/yield/prepare',
    deposit,
  );
  const nonce = await client.getTransactionCount({ address: account.address });
  if (!setup.authorization) throw new Error('A fresh wallet needs a full setup');
  const authorization = await account.signAuthorization({ ...setup.authorization, nonce: nonce + 1 });
  const signedRawTx = await account.signTransaction({
    type: 'eip7702',
    chainId: local.chainId,
    nonce,
    to: setup.to,
    data: setup.initCalldata,
    gas: BigInt(setup.gas.gasLimit),
    maxFeePerGas: BigInt(setup.gas.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(setup.gas.maxPriorityFeePerGas),
    authorizationList: [authorization],
  });
  await timed('setup-relay (1 confirmation)', '/v1/yield/setup-relay', {
    setupTicket,
    signedRawTx,
    confirmations: 1,
  });

  const prepared = await timed<PrepareExecutionResponse>('prepare (deposit)', '/v1/yield/prepare', deposit);
  const intent = await sign(prepared);
  await timed('execute (deposit)', '/v1/yield/execute', intent);
  await timed('execute (again)', '/v1/yield/execute', intent);
  await timed('status', `/v1/yield/status?userAddress=${account.address}`);
  await timed('history (30d)', `/v1/yield/history?vaultId=${vaultId}&period=30d`);
  const redeem = await timed<PrepareExecutionResponse>('prepare (redeem)', '/v1/yield/prepare', {
    ...wallet,
    operation: 'redeem',
    percentage: 100,
  });
  await timed('execute (redeem)', '/v1/yield/execute', await sign(redeem));
  return times as FlowTimes;
}

/** Start the local deployment and measure one wallet after the other. The first one is a warm-up. */
export async function measureFlows(count: number): Promise<FlowTimes[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const devnet = await startDevnet();
  try {
    const server = await startServer({
      chains: devnet.chains,
      host: '127.0.0.1',
      port: await getPort(),
      dataDirectory: join(directory, 'database'),
      logFile: join(directory, 'api.log'),
    });
    try {
      const base = devnet.chains.find(({ key }) => key === 'base');
      if (!base) throw new Error('The devnet has no Base');
      const runs: FlowTimes[] = [];
      for (let run = 0; run <= count; run++) runs.push(await measureFlow(server.url, base));
      return runs.slice(1);
    } finally {
      await server.stop();
    }
  } finally {
    await devnet.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
