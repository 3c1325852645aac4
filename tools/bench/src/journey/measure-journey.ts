import { fundWallet, type DevnetChain } from '@yield-vault/devnet';
import {
  intentTypes,
  type DiscoverResponse,
  type PrepareExecutionResponse,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { createPublicClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** The requests that are timed, in the order of the journey. */
export const journeySteps = [
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
export type JourneyStep = (typeof journeySteps)[number];

/** Milliseconds of each step of one journey. */
export type JourneyTimes = Readonly<Record<JourneyStep, number>>;

/** Take one fresh wallet through the journey and time every request, as the agent sees it. */
export async function measureJourney(apiUrl: string, local: DevnetChain): Promise<JourneyTimes> {
  const account = privateKeyToAccount(generatePrivateKey());
  await fundWallet(local, account.address, { ethWei: 5n * 10n ** 15n, usdc: 50_000_000n });
  const client = createPublicClient({ transport: http(local.rpcUrl) });
  const times: Partial<Record<JourneyStep, number>> = {};

  const timed = async <Body>(step: JourneyStep, path: string, body?: object): Promise<Body> => {
    const start = performance.now();
    const response = await fetch(`${apiUrl}${path}`, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const answer = (await response.json()) as Body;
    times[step] = performance.now() - start;
    if (!response.ok) throw new Error(`${step}: ${JSON.stringify(answer)}`);
    return answer;
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
  return times as JourneyTimes;
}
