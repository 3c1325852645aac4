import { chainFacts } from '@yield-vault/contracts';
import { createWalletClient, encodeFunctionData, erc20Abi, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedServer } from '../test/support/devnet.js';
import { agentOnFork, setUp, signedDeposit, usdcVault } from '../test/support/funded-agent.js';
import { createViemAgentOf } from '../test/support/viem-agent.js';

const stranger = '0x3000000000000000000000000000000000000003';

it('error: a failed simulation on a fork stops the intent; once its cause is cured the same intent executes', async () => {
  const api = await createApiClient(sharedServer('forked'));
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const agent = await agentOnFork(api, 'base', (rpcUrl) => createViemAgentOf(privateKey, rpcUrl));
  const { vaultId } = await usdcVault(api);
  await setUp(api, agent, vaultId);
  const request = await signedDeposit(api, agent, vaultId, '25');

  // Past the service, most of its USDC goes away.
  const wallet = createWalletClient({ account, transport: http(forkedChains().base.walletRpcUrl) });
  const args = [stranger, 40_000_000n] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  await wallet.sendTransaction({ chain: null, to: chainFacts(8453).usdc.address, data });
  for (const attempt of [1, 2]) {
    const { status, body } = await api.refused('POST', '/v1/yield/execute', request);
    expect([attempt, status, body.code]).toEqual([attempt, 400, 'PREFLIGHT_SIMULATION_FAILED']);
    expect(body.details).toMatchObject({ revertReason: 'INSUFFICIENT_BALANCE' });
  }
  const { activeForks } = await api.forkStatus();
  expect(activeForks['base']?.forks.map(({ kind }) => kind)).toEqual(['persistent']);

  // Had a bundler got it, the operation would have used its nonce.
  await api.fundWallet({ chain: 'base', walletAddress: account.address, usdcAmount: '40000000' });
  const assetsDelta = '25';
  const executed = { result: 'executed', positionUpdate: { vaultId, assetsDelta } };
  expect(await api.execute(request)).toMatchObject(executed);
  expect(await api.execute(request)).toMatchObject({ ...executed, result: 'already_executed' });
});
