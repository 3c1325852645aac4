import { paymasterAllowance } from '@yield-vault/chains';
import type { PrepareRequest, PrepareResponse, SetupType } from '@yield-vault/protocol';
import { AllowanceTooLowError } from './errors.js';
import { paymasterOf } from './paymasters/paymaster-of.js';
import { buildExecution } from './steps/build-execution.js';
import { buildSetup } from './steps/build-setup.js';
import { checkRequest } from './steps/check-request.js';
import { describeOrder } from './steps/describe-order.js';
import { estimateOperation } from './steps/estimate-operation.js';
import { gasBudget } from './steps/gas-budget.js';
import { quotesOf } from './steps/quotes-of.js';
import { readWallet } from './steps/read-wallet.js';
import { requireBalances } from './steps/require-balances.js';
import { requireFairEntry } from './steps/require-fair-entry.js';
import { gasTooDear, requireGasBudget } from './steps/require-gas-budget.js';
import { requireSameTokens } from './steps/require-same-tokens.js';
import { sealOperation } from './steps/seal-operation.js';
import type { IntentBuilderDependencies } from './types.js';

/**
 * Build the answer of the prepare endpoint: at most two upstream round trips, one after the other. A paymaster that is
 * a service adds its own.
 */
export async function prepare(
  { chains, vaults, options: deployed, now = Date.now }: IntentBuilderDependencies,
  request: PrepareRequest,
): Promise<PrepareResponse> {
  const order = checkRequest(request, chains, vaults);
  const description = describeOrder(order);
  const paymaster = paymasterOf(order.chain);
  const paymasterAllowanceUsdc = paymasterAllowance(order.chain, deployed.paymasterAllowanceUsdc);
  const options = { ...deployed, paymasterAllowanceUsdc };

  const wallet = await readWallet(order, paymaster);
  const setup = (setupType: SetupType) => ({
    ...description.setup,
    ...buildSetup(order, setupType, options, wallet.fees, now()),
  });
  if ('setupType' in wallet) return setup(wallet.setupType);
  const { snapshot } = wallet;
  try {
    requireSameTokens(order, snapshot);
    requireBalances(order, snapshot);
    const quotes = quotesOf(order, snapshot);
    requireFairEntry(order, snapshot, quotes, options);
    const estimated = await estimateOperation(order, snapshot, quotes, paymaster, options, now());
    const budget = gasBudget(snapshot.paymaster, estimated.operation);
    requireGasBudget(order, snapshot, budget);
    const sealed = await sealOperation(order, estimated, budget, paymaster, options, now());
    return { ...description.execution, ...buildExecution(order, snapshot, sealed, options) };
  } catch (error) {
    if (!(error instanceof AllowanceTooLowError)) throw error;
    // The modules setup sets the allowance anew; nothing else of it is repeated. It cannot set it higher than this.
    if (snapshot.state.paymasterAllowance >= paymasterAllowanceUsdc)
      throw gasTooDear(order, paymasterAllowanceUsdc);
    return setup('modules');
  }
}
