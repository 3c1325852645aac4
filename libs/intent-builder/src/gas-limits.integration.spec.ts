import { fromWireUserOperation, totalGasLimit, type PrepareRequest } from '@yield-vault/protocol';
import { signIntent, testKey } from '@yield-vault/testing';
import { createWalletClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { buildCatalogue, listLocalVault } from '../test/build-catalogue.js';
import { options } from '../test/build-request.js';
import {
  localVault,
  sendSetup,
  startLocalDeployment,
  submit,
  type LocalDeployment,
} from '../test/local-deployment.js';
import { measureGas, type MeasuredGas } from '../test/measure-gas.js';
import { createIntentBuilder } from './prepare.js';

const scores = (balanced: number) => ({ maximize_apy: 1, minimize_risk: 1, balanced });
const steady = listLocalVault(localVault('steady'), { compositeScores: scores(50) });
const faster = listLocalVault(localVault('faster'), { compositeScores: scores(90) });
const key = testKey('intent-builder gas');
const owner = privateKeyToAccount(key).address;
// Gas that a part may leave unused without a penalty.
const penaltyThreshold = 40_000n;
let local: LocalDeployment;

beforeAll(async () => {
  local = await startLocalDeployment();
  await local.fund(owner, 1_000_000_000n);
  const response = await prepare({ amount: '1' });
  if (!response.needsSetup) throw new Error('the wallet needs no setup');
  await sendSetup(local.chain, response, key);
}, 120_000);
afterAll(() => local.stop());

function prepare(request: Partial<PrepareRequest>) {
  const operation = request.operation ?? 'deposit';
  return createIntentBuilder({
    chains: local.chains,
    vaults: buildCatalogue([faster, steady]),
    options,
  }).prepare({
    operation,
    chain: 'base',
    agentAddress: owner,
    vaultId: steady.vaultId,
    ...(operation === 'deposit' ? { asset: 'USDC' } : {}),
    ...request,
  });
}

const parts = [
  'verificationGasLimit',
  'paymasterVerificationGasLimit',
  'callGasLimit',
  'paymasterPostOpGasLimit',
] as const satisfies readonly (keyof MeasuredGas)[];

/** Run an operation as prepared, and compare its limits with its gas. */
async function expectFittingLimits(request: Partial<PrepareRequest>): Promise<void> {
  const response = await prepare(request);
  if (response.needsSetup) throw new Error('the wallet needs a setup');
  const { intentEnvelope } = response.execution;
  const operation = fromWireUserOperation(intentEnvelope.userOps[0]!.userOperation);
  const signature = await signIntent(intentEnvelope.signing, key);
  const { success, actualGasUsed, receipt } = await submit(local.chain, response.execution, signature);
  expect(success).toBe(true);
  const used = await measureGas(local.chain, receipt.transactionHash, operation);

  for (const part of parts) {
    const limit = operation[part] ?? 0n;
    expect({ part, limit, fits: limit * 100n >= used[part] * 105n }).toEqual({ part, limit, fits: true });
  }
  expect(totalGasLimit(operation)).toBeLessThanOrEqual(actualGasUsed * 2n);
  // A tenth of what these two leave unused is charged, above a threshold: what the room for vaults that accrue costs.
  const penalty = (['callGasLimit', 'paymasterPostOpGasLimit'] as const)
    .map((part) => (operation[part] ?? 0n) - used[part])
    .reduce((sum, unused) => sum + (unused > penaltyThreshold ? unused / 10n : 0n), 0n);
  expect(penalty * 100n).toBeLessThanOrEqual(actualGasUsed * 2n);
}

describe('gas limits', () => {
  it.each<[string, Partial<PrepareRequest>]>([
    ['a first deposit', { amount: '100' }],
    ['a second deposit', { amount: '100' }],
    ['a redeem of a part', { operation: 'redeem', percentage: 12.5 }],
    ['a rebalance', { operation: 'rebalance' }],
    ['a redeem of everything', { operation: 'redeem', percentage: 100, vaultId: faster.vaultId }],
  ])(
    'behavior: %s has room in every part, and pays little for it',
    async (_, request) => {
      await expectFittingLimits(request);
    },
    30_000,
  );

  it('behavior: so has a deposit that restores the allowance on the way', async () => {
    const { rpc, rpcUrls, usdc, contracts } = local.chain;
    const wallet = createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrls[0]) });
    const hash = await wallet.writeContract({
      chain: null,
      address: usdc,
      abi: erc20Abi,
      functionName: 'approve',
      args: [contracts.paymaster, 20_000_000n],
    });
    await rpc.waitForTransactionReceipt({ hash });
    await expectFittingLimits({ amount: '100' });
    const args = [owner, contracts.paymaster] as const;
    expect(await rpc.readContract({ address: usdc, abi: erc20Abi, functionName: 'allowance', args })).toBe(
      options.paymasterAllowanceUsdc,
    );
  }, 30_000);
});
