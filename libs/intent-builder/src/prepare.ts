import { paymasterAllowance } from '@yield-vault/chains';
import {
  AlreadySetUpError,
  UpstreamUnavailableError,
  type GaslessSetupRequest,
  type PrepareExecutionResponse,
  type PrepareRequest,
  type PrepareResponse,
  type SetupType,
} from '@yield-vault/protocol';
import { encodePermitData } from '@yield-vault/smart-account';
import { affordable, gasBudget, gasTooExpensive, requireBalances, requireGasBudget } from './balances.js';
import { attachPaymasterData, buildExecution } from './envelope.js';
import { AllowanceTooLowError } from './errors.js';
import type { IntentBuilderOptions } from './intents-schema.js';
import { estimateOperation, takeQuotes } from './operation.js';
import { allowancePaymaster, paymasterOf } from './paymaster.js';
import { checkRequest, describeRequest, type RequestDescription } from './request.js';
import { buildSetup, requireSignatures } from './setup.js';
import type {
  CheckedRequest,
  IntentBuilder,
  IntentBuilderDependencies,
  Paymaster,
  WalletReading,
  WalletSnapshot,
} from './types.js';
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
  return {
    prepare: (request) => prepare(dependencies, request),
    gaslessSetup: (request) => gaslessSetup(dependencies, request),
  };
}

/** A checked request, with what it needs of the deployment. */
interface Preparation {
  readonly request: CheckedRequest;
  readonly description: RequestDescription;
  readonly paymaster: Paymaster;
  /** With the paymaster's allowance on the chain of the request. */
  readonly options: IntentBuilderOptions;
  readonly now: () => number;
}

function begin(
  { chains, vaults, options, now = Date.now }: IntentBuilderDependencies,
  prepareRequest: PrepareRequest,
): Preparation {
  const request = checkRequest(prepareRequest, chains, vaults);
  const { chain } = request;
  const paymasterAllowanceUsdc = paymasterAllowance(chain, options.paymasterAllowanceUsdc);
  return {
    request,
    description: describeRequest(request),
    paymaster: paymasterOf(chain, now),
    options: { ...options, paymasterAllowanceUsdc },
    now,
  };
}

const readWalletOf = ({ request, paymaster, options }: Preparation): Promise<WalletReading> =>
  readWallet(request, paymaster, options.paymasterAllowanceUsdc);

/**
 * Build the response of the prepare endpoint: request, wallet, operation, paymaster, envelope. It costs at most two
 * upstream round trips; a paymaster service adds its own.
 */
async function prepare(
  dependencies: IntentBuilderDependencies,
  prepareRequest: PrepareRequest,
): Promise<PrepareResponse> {
  const preparation = begin(dependencies, prepareRequest);
  const { request, description, options, now } = preparation;
  const wallet = await readWalletOf(preparation);
  const setup = (setupType: SetupType) => ({
    ...description.setup,
    ...buildSetup(request, setupType, options, wallet, now()),
  });
  if (wallet.setupType) return setup(wallet.setupType);
  try {
    return await buildIntent(preparation, wallet.snapshot());
  } catch (error) {
    if (error instanceof AllowanceTooLowError) return setup('modules');
    throw error;
  }
}

/** Build the response of the gasless-setup endpoint. It takes the round trips of prepare. */
async function gaslessSetup(
  dependencies: IntentBuilderDependencies,
  { permitSignature, authorization, ...deposit }: GaslessSetupRequest,
): Promise<PrepareExecutionResponse> {
  const preparation = begin(dependencies, { operation: 'deposit', ...deposit });
  const { request, options, paymaster } = preparation;
  const { chain } = request;
  const wallet = await readWalletOf(preparation);
  if (!wallet.setupType && !(await runsOutOfAllowance(preparation, wallet.snapshot())))
    throw new AlreadySetUpError({ detail: `The wallet is set up on ${chain.key}.` });
  const value = options.paymasterAllowanceUsdc;
  await requireSignatures(request, wallet.setupNonces, value, permitSignature, authorization);
  const permit = encodePermitData({ token: chain.usdc, value, signature: permitSignature });
  return buildIntent(
    { ...preparation, paymaster: allowancePaymaster(chain.contracts.paymaster, paymaster.terms, permit) },
    { ...wallet.snapshot(), paymasterAllowance: value, ...(authorization && { authorization }) },
  );
}

/** Whether prepare would ask the wallet for a setup, only because the allowance does not pay for this operation. */
async function runsOutOfAllowance(preparation: Preparation, snapshot: WalletSnapshot): Promise<boolean> {
  try {
    await buildIntent(preparation, snapshot);
    return false;
  } catch (error) {
    if (error instanceof UpstreamUnavailableError) throw error;
    // Prepare says what else is wrong.
    return error instanceof AllowanceTooLowError;
  }
}

/**
 * Build the intent of a wallet that is set up, or will be by it.
 *
 * @throws {AllowanceTooLowError} when a setup would restore the allowance that is missing
 */
async function buildIntent(
  { request, description, paymaster, options, now }: Preparation,
  snapshot: WalletSnapshot,
): Promise<PrepareExecutionResponse> {
  try {
    checkVaultTokens(request, snapshot);
    requireBalances(request, snapshot);
    const estimable = affordable(request, snapshot);
    const quotes = estimable === request ? takeQuotes(request, snapshot) : { redeemed: 0n, deposited: 0n };
    if (estimable === request) checkVaultPrice(request, snapshot, quotes, options);
    const estimated = await estimateOperation(estimable, snapshot, quotes, paymaster, options, now());
    const budget = gasBudget(snapshot.paymaster, estimated.operation);
    requireGasBudget(request, snapshot, budget);
    const final = await attachPaymasterData(request, estimated, budget, paymaster, options, now());
    return { ...description.execution, ...buildExecution(request, snapshot, final, options) };
  } catch (error) {
    // A setup sets the allowance no higher than this.
    const highest = options.paymasterAllowanceUsdc;
    if (error instanceof AllowanceTooLowError && snapshot.paymasterAllowance >= highest)
      throw gasTooExpensive(request, highest);
    throw error;
  }
}
