import type { GasPrice } from '@yield-vault/chains';
import { findChainFacts } from '@yield-vault/contracts';
import {
  formatAmount,
  gaslessSetupPath,
  setupTicketId,
  SetupTransactionRejectedError,
  usdcDecimals,
  type GaslessSetup,
  type GaslessSetupCheck,
  type GaslessSetupRequest,
  type PermitTypedData,
  type PrepareSetupResponse,
  type SetupBlock,
  type SetupTicket,
  type SetupType,
} from '@yield-vault/protocol';
import {
  describeFault,
  encodeInitializeAccount,
  encodeInitializeAndApprove,
  findAuthorizationFault,
  findPermitFault,
  usdcPermitTypedData,
  type SignatureFault,
  type UsdcPermit,
} from '@yield-vault/smart-account';
import { keccak256, type Hex } from 'viem';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest, SetupNonces, WalletReading } from './types.js';

// At most two thirds of a limit were used.
const gasLimits = { delegation: 80_000n, call: 150_000n } as const;

/**
 * Build the setup that a wallet needs, with its ticket. Nothing is stored: setup-relay computes the same again.
 *
 * @param nowMs - milliseconds since 1970
 */
export function buildSetup(
  { chain, wallet }: Pick<CheckedRequest, 'chain' | 'wallet'>,
  setupType: SetupType,
  options: Pick<IntentBuilderOptions, 'ticketLifetimeSeconds' | 'paymasterAllowanceUsdc'>,
  {
    fees,
    setupNonces,
    hasRemovedModule,
  }: Pick<WalletReading, 'setupNonces' | 'hasRemovedModule'> & { readonly fees: GasPrice },
  nowMs: number,
): Pick<
  PrepareSetupResponse,
  | 'intentId'
  | 'needsSetup'
  | 'setupType'
  | 'setup'
  | 'setupTicket'
  | 'gaslessSetup'
  | 'execution'
  | 'intentEnvelope'
> {
  const { account } = chain.contracts;
  const allowance = options.paymasterAllowanceUsdc;
  const restores = setupType === 'modules' || hasRemovedModule;
  const initCalldata = encodeSetup({ chain, wallet }, restores, allowance);
  const ofChain = findChainFacts(chain.chainId)?.setupGasLimit;

  const setup: SetupBlock = {
    setupType,
    description: describe(setupType, chain.name, restores, allowance),
    authorization: setupType === 'full' ? { contractAddress: account, chainId: chain.chainId } : null,
    initCalldata,
    to: wallet,
    gas: {
      gasLimit: String(ofChain ?? gasLimits[initCalldata === '0x' ? 'delegation' : 'call']),
      // The base fee may rise by an eighth per block until the ticket expires.
      maxFeePerGas: (fees.maxFeePerGas * 2n).toString(),
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
    },
  };
  const setupTicket: SetupTicket = {
    version: 1,
    walletAddress: wallet,
    chainId: chain.chainId,
    implementation: account,
    initCalldataHash: keccak256(initCalldata),
    setupType,
    expiresAt: new Date(nowMs + options.ticketLifetimeSeconds * 1000).toISOString(),
  };
  return {
    intentId: setupTicketId(setupTicket),
    needsSetup: true,
    setupType,
    setup,
    setupTicket,
    gaslessSetup: setupNonces ? buildGaslessSetup({ chain, wallet }, allowance, setupNonces) : null,
    execution: null,
    intentEnvelope: null,
  };
}

// A delegation alone installs every default module that the wallet never removed.
function encodeSetup(
  { chain, wallet }: Pick<CheckedRequest, 'chain' | 'wallet'>,
  restores: boolean,
  allowance: bigint,
): Hex {
  if (allowance === 0n) return restores ? encodeInitializeAccount() : '0x';
  const { usdc: token, contracts } = chain;
  return encodeInitializeAndApprove(wallet, { token, spender: contracts.paymaster, amount: allowance });
}

function buildGaslessSetup(
  request: Pick<CheckedRequest, 'chain' | 'wallet'>,
  allowance: bigint,
  { authorization: nonce, permit }: SetupNonces,
): GaslessSetup {
  const { chainId, contracts } = request.chain;
  return {
    authorization: nonce === undefined ? null : { contractAddress: contracts.account, chainId, nonce },
    permit: permit === undefined ? null : toWirePermit(permitOf(request, allowance, permit)),
    endpoint: gaslessSetupPath,
  };
}

function toWirePermit(permit: UsdcPermit): PermitTypedData {
  const { message, ...document } = usdcPermitTypedData(permit);
  const { value, nonce, deadline } = message;
  return {
    ...document,
    message: { ...message, value: `${value}`, nonce: `${nonce}`, deadline: `${deadline}` },
  };
}

/**
 * Whether a first deposit can set a wallet up without ether: the account pays our paymaster, and Circle's takes a permit.
 *
 * @param allowance - that a setup grants the paymaster, in base units of USDC
 */
export function canBeGasless({ paymaster }: CheckedRequest['chain'], allowance: bigint): boolean {
  return paymaster.kind === 'own' || (paymaster.kind === 'circle' && allowance > 0n);
}

/**
 * Check the signatures of a gasless setup.
 *
 * @param allowance - that a permit gives the paymaster, in base units of USDC
 * @throws {SetupTransactionRejectedError} when one is wrong or missing, or the setup of this wallet needs ether
 */
export async function requireSignatures(
  request: Pick<CheckedRequest, 'chain' | 'wallet'>,
  nonces: SetupNonces | undefined,
  allowance: bigint,
  { permitSignature, authorization }: Pick<GaslessSetupRequest, 'permitSignature' | 'authorization'>,
): Promise<void> {
  const { chain, wallet } = request;
  if (!nonces) throw needsEther(chain, allowance);
  const { chainId, contracts } = chain;
  const { authorization: nonce, permit: permitNonce } = nonces;
  if ((permitNonce === undefined) !== (permitSignature === undefined))
    throw rejected('permit-valid', `The wallet needs ${permitSignature ? 'no' : 'a'} permit.`);
  if ((nonce === undefined) !== (authorization === undefined))
    throw rejected('auth-list-valid', `The wallet needs ${authorization ? 'no' : 'an'} authorization.`);
  if (nonce !== undefined && authorization) {
    const expected = { wallet, implementation: contracts.account, chainId, nonce };
    const fault = await findAuthorizationFault(authorization, expected);
    if (fault) throw rejected('auth-list-valid', describeFault('authorization', fault), fault);
  }
  if (permitNonce === undefined || permitSignature === undefined) return;
  const fault = await findPermitFault(permitSignature, permitOf(request, allowance, permitNonce));
  if (!fault) return;
  const permit = `value ${allowance}, nonce ${permitNonce}, spender ${contracts.paymaster}`;
  throw rejected('permit-valid', `${describeFault('permitSignature', fault)} Sign ${permit}.`, fault);
}

const rejected = (failedCheck: GaslessSetupCheck, detail: string, fault?: SignatureFault) =>
  new SetupTransactionRejectedError({
    detail,
    details: { failedCheck, ...fault },
    nextAction: 'Call prepare, and sign the documents of its gaslessSetup again.',
  });

function needsEther(chain: CheckedRequest['chain'], allowance: bigint) {
  const isPossible = canBeGasless(chain, allowance);
  const failedCheck: GaslessSetupCheck = isPossible ? 'modules-verified' : 'permit-valid';
  const reason = isPossible ? 'it has removed a default module' : 'the paymaster takes no permit';
  return new SetupTransactionRejectedError({
    detail: `The setup of this wallet on ${chain.key} needs ether: ${reason}.`,
    details: { failedCheck },
    nextAction: 'Call prepare, sign the transaction of its setup block and send it to setup-relay.',
  });
}

const permitOf = (
  { chain, wallet: owner }: Pick<CheckedRequest, 'chain' | 'wallet'>,
  value: bigint,
  nonce: bigint,
): UsdcPermit => ({ ...chain, owner, spender: chain.contracts.paymaster, value, nonce });

function describe(setupType: SetupType, chainName: string, restores: boolean, allowance: bigint): string {
  const amount = formatAmount(allowance, usdcDecimals);
  const effects = [
    ...(setupType === 'full' ? ['delegates to the account implementation'] : []),
    ...(restores ? ['restores the validator and executor modules'] : []),
    ...(allowance > 0n ? [`allows the paymaster up to ${amount} USDC for gas`] : []),
  ];
  const type = setupType === 'full' ? 4 : 2;
  return `Sign a type-${type} transaction to yourself on ${chainName} that ${effects.join(' and ')}.`;
}
