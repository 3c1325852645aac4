import { paymasterAllowance } from '@yield-vault/chains';
import type { PrepareRequest, PrepareResponse, SetupType } from '@yield-vault/protocol';
import { gasBudget, gasTooExpensive, requireBalances, requireGasBudget } from './balances.js';
import { attachPaymasterData, buildExecution } from './envelope.js';
import { AllowanceTooLowError } from './errors.js';
import { estimateOperation, takeQuotes } from './operation.js';
import { paymasterOf } from './paymaster.js';
import { checkRequest, describeRequest } from './request.js';
import { buildSetup } from './setup.js';
import type { IntentBuilder, IntentBuilderDependencies } from './types.js';
import { checkVaultPrice, checkVaultTokens } from './vault-checks.js';
import { readWallet } from './wallet.js';

/**
 * Make the builder of setups and intents.
 *
 * @example
 * const builder = createIntentBuilder({ chains, vaults, options });
 * const response = await builder.prepare({ operation: 'deposit', chain: 'base', agentAddress, vaultId, asset: 'USDC', amount: '25' });
 */
export function createIntentBuilder(dependencies: IntentBuilderDependencies): IntentBuilder {
  return { prepare: (request) => prepare(dependencies, request) };
}

/**
 * Build the response of the prepare endpoint: request, wallet, operation, paymaster, envelope. It costs at most two
 * upstream round trips; a paymaster service adds its own.
 */
async function prepare(
  { chains, vaults, options: deployed, now = Date.now }: IntentBuilderDependencies,
  prepareRequest: PrepareRequest,
): Promise<PrepareResponse> {
  const request = checkRequest(prepareRequest, chains, vaults);
  const description = describeRequest(request);
  const paymaster = paymasterOf(request.chain, now);
  const paymasterAllowanceUsdc = paymasterAllowance(request.chain, deployed.paymasterAllowanceUsdc);
  const options = { ...deployed, paymasterAllowanceUsdc };

  const wallet = await readWallet(request, paymaster, paymasterAllowanceUsdc);
  const setup = (setupType: SetupType) => ({
    ...description.setup,
    ...buildSetup(request, setupType, options, wallet.fees, now()),
  });
  if ('setupType' in wallet) return setup(wallet.setupType);
  const { snapshot } = wallet;
  try {
    checkVaultTokens(request, snapshot);
    requireBalances(request, snapshot);
    const quotes = takeQuotes(request, snapshot);
    checkVaultPrice(request, snapshot, quotes, options);
    const estimated = await estimateOperation(request, snapshot, quotes, paymaster, options, now());
    const budget = gasBudget(snapshot.paymaster, estimated.operation);
    requireGasBudget(request, snapshot, budget);
    const final = await attachPaymasterData(request, estimated, budget, paymaster, options, now());
    return { ...description.execution, ...buildExecution(request, snapshot, final, options) };
  } catch (error) {
    if (!(error instanceof AllowanceTooLowError)) throw error;
    // A modules setup restores the allowance, but sets it no higher than this.
    if (snapshot.state.paymasterAllowance >= paymasterAllowanceUsdc)
      throw gasTooExpensive(request, paymasterAllowanceUsdc);
    return setup('modules');
  }
}
