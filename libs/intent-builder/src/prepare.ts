import { asUpstreamError, paymasterAllowance } from '@yield-vault/chains';
import {
  AlreadySetUpError,
  UpstreamUnavailableError,
  type GaslessSetupRequest,
  type PrepareExecutionResponse,
  type PrepareRequest,
  type PrepareResponse,
  type RebalanceSteering,
  type SetupType,
} from '@yield-vault/protocol';
import { encodePermitData } from '@yield-vault/smart-account';
import { toEstimableRequest, canPay, requireBalances, requireGasBudget } from './balances.js';
import { buildCalls } from './calls.js';
import { checkRequest } from './check-request.js';
import { attachPaymasterData, buildExecution } from './envelope.js';
import { AllowanceTooLowError, gasTooExpensive } from './errors.js';
import { estimateOperation, takeQuotes } from './operation.js';
import { allowancePaymaster, paymasterOf } from './paymasters/paymaster.js';
import { depositVaultOf, describeRequest } from './request.js';
import { gasFigures, setupCostsOf } from './response/costs.js';
import { createPricer, readFees, toUsd } from './response/estimate-costs.js';
import { buildSetup, requireSignatures } from './setup.js';
import type { CheckedRequest, IntentBuilder, IntentBuilderDependencies, WalletSnapshot } from './types.js';
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
    prepare: (request, steering) => prepare(dependencies, request, steering),
    gaslessSetup: (request) => gaslessSetup(dependencies, request),
    calls: async ({ from: agentAddress, ...request }) =>
      buildCalls(await admit(dependencies, { ...request, agentAddress }), dependencies.options),
    estimateCosts: (chain) => estimateCosts(dependencies, chain),
  };
}

async function estimateCosts(
  { chains, now }: IntentBuilderDependencies,
  key: string,
): ReturnType<IntentBuilder['estimateCosts']> {
  const chain = chains.require(key);
  const [terms, fees] = await Promise.all([paymasterOf(chain, now).terms(), readFees(chain)]).catch(
    (error: unknown) => {
      throw asUpstreamError(error, `rpc:${key}`) ?? error;
    },
  );
  const { setup, priceOf } = createPricer(terms, fees);
  return (vault) => ({
    setupGasUsd: toUsd(setup),
    depositGasUsd: toUsd(priceOf('deposit', undefined, vault)),
    redeemGasUsd: toUsd(priceOf('redeem', vault)),
  });
}

/** Check a request, and what operators stop or limit. */
async function admit(
  { chains, vaults, limits }: IntentBuilderDependencies,
  prepareRequest: PrepareRequest,
  steering?: RebalanceSteering,
): Promise<CheckedRequest> {
  const request = checkRequest(prepareRequest, chains, vaults, steering);
  const vault = depositVaultOf(request);
  if (vault) {
    const assets = request.operation === 'deposit' ? request.assets : 0n;
    const isRebalance = request.operation === 'rebalance';
    await limits?.require({ vault, wallet: request.wallet, assets, isRebalance });
  }
  return request;
}

async function begin(
  dependencies: IntentBuilderDependencies,
  prepareRequest: PrepareRequest,
  steering?: RebalanceSteering,
) {
  const { options, now = Date.now } = dependencies;
  const request = await admit(dependencies, prepareRequest, steering);
  const paymaster = paymasterOf(request.chain, now);
  const paymasterAllowanceUsdc = paymasterAllowance(request.chain, options.paymasterAllowanceUsdc);
  const wallet = await readWallet(request, paymaster, paymasterAllowanceUsdc);
  return { request, paymaster, options: { ...options, paymasterAllowanceUsdc }, now, wallet };
}

/**
 * Build the response of the prepare endpoint: request, wallet, operation, paymaster, envelope. It costs at most two
 * upstream round trips, and a third one where the first estimate is more than the wallet can pay; a paymaster service
 * adds its own.
 */
async function prepare(
  dependencies: IntentBuilderDependencies,
  prepareRequest: PrepareRequest,
  steering?: RebalanceSteering,
): Promise<PrepareResponse> {
  const preparation = await begin(dependencies, prepareRequest, steering);
  const { request, options, now, wallet } = preparation;
  const setup = (setupType: SetupType) => ({
    ...describeRequest(request).setup,
    ...buildSetup(request, setupType, options, wallet, now()),
    costs: setupCostsOf(request, wallet),
  });
  if (wallet.setupType) return setup(wallet.setupType);
  try {
    return await buildIntent(preparation, wallet.snapshot());
  } catch (error) {
    if (error instanceof AllowanceTooLowError) return setup('modules');
    throw error;
  }
}

/** Build the response of the gasless-setup endpoint. It costs as much as prepare, or up to twice where only the allowance is too low. */
async function gaslessSetup(
  dependencies: IntentBuilderDependencies,
  { permitSignature, authorization, ...deposit }: GaslessSetupRequest,
): Promise<PrepareExecutionResponse> {
  const preparation = await begin(dependencies, { operation: 'deposit', ...deposit });
  const { request, options, wallet } = preparation;
  const { key, usdc, contracts } = request.chain;
  const value = options.paymasterAllowanceUsdc;
  // Prepare also asks for a setup when the allowance is too low for this deposit. Any other error means that
  // the wallet is set up: the caller is sent to prepare, which reports it.
  const isSetUp = () =>
    buildIntent(preparation, wallet.snapshot()).then(
      () => true,
      (error: unknown) => {
        if (error instanceof UpstreamUnavailableError) throw error;
        return !(error instanceof AllowanceTooLowError);
      },
    );
  if (!wallet.setupType && (value === 0n || (await isSetUp())))
    throw new AlreadySetUpError({ detail: `The wallet is set up on ${key}.` });
  await requireSignatures(request, wallet.setupNonces, value, { permitSignature, authorization });
  const terms = () => preparation.paymaster.terms();
  const paymaster = permitSignature
    ? allowancePaymaster(
        contracts.paymaster,
        terms,
        encodePermitData({ token: usdc, value, signature: permitSignature }),
      )
    : preparation.paymaster;
  const snapshot = { ...wallet.snapshot(), paymasterAllowance: value, authorization };
  return buildIntent({ ...preparation, paymaster }, snapshot);
}

/**
 * Build the intent of a wallet that is set up, or that this intent sets up.
 *
 * @throws {AllowanceTooLowError} when a setup would restore the allowance that is missing
 */
async function buildIntent(
  { request, paymaster, options, now }: Awaited<ReturnType<typeof begin>>,
  snapshot: WalletSnapshot,
): Promise<PrepareExecutionResponse> {
  try {
    checkVaultTokens(request, snapshot);
    requireBalances(request, snapshot);
    const estimable = toEstimableRequest(request, snapshot);
    const quotes = estimable === request ? takeQuotes(request, snapshot) : { redeemed: 0n, deposited: 0n };
    if (estimable === request) checkVaultPrice(request, snapshot, quotes, options);
    const estimate = async () => {
      const estimated = await estimateOperation(estimable, snapshot, quotes, paymaster, options, now());
      const { most: budget, mostExit } = gasFigures(request, snapshot, estimated);
      return { estimated, budget, mostExit };
    };
    const first = await estimate();
    // The bundler doubles limits when a waiting operation is included meanwhile, so a refusal needs two estimates.
    const second = canPay(request, snapshot, first.budget) ? first : await estimate();
    const { estimated, budget, mostExit } = second.budget < first.budget ? second : first;
    requireGasBudget(request, snapshot, budget, mostExit);
    const final = await attachPaymasterData(request, estimated, budget, paymaster, options, now());
    return { ...describeRequest(request).execution, ...buildExecution(request, snapshot, final, options) };
  } catch (error) {
    // A setup sets the allowance no higher than this.
    const highest = options.paymasterAllowanceUsdc;
    if (error instanceof AllowanceTooLowError && snapshot.paymasterAllowance >= highest)
      throw gasTooExpensive(request, highest);
    throw error;
  }
}
