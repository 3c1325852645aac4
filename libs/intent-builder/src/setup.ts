import {
  formatAmount,
  gaslessSetupPath,
  setupTicketId,
  SetupTransactionRejectedError,
  usdcDecimals,
  type Eip7702Auth,
  type GaslessSetup,
  type GaslessSetupCheck,
  type PrepareSetupResponse,
  type SetupBlock,
  type SetupTicket,
  type SetupType,
} from '@yield-vault/protocol';
import {
  describeFault,
  encodeInitializeAccount,
  findAuthorizationFault,
  findPermitFault,
  usdcPermitTypedData,
  type SignatureFault,
  type UsdcPermit,
} from '@yield-vault/smart-account';
import { keccak256, type Hex } from 'viem';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest, SetupNonces, WalletReading } from './types.js';

// A full setup used 75k gas, the authorization's 25k included. Restoring both modules fits too.
const setupGasLimit = 150_000n;

/**
 * Build the setup that a wallet needs, with its ticket. Nothing is stored: setup-relay computes the same again.
 *
 * @param nowMs - milliseconds since 1970
 */
export function buildSetup(
  { chain, wallet }: Pick<CheckedRequest, 'chain' | 'wallet'>,
  setupType: SetupType,
  options: Pick<IntentBuilderOptions, 'ticketLifetimeSeconds' | 'paymasterAllowanceUsdc'>,
  { fees, setupNonces }: Pick<WalletReading, 'fees' | 'setupNonces'>,
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
  const { account, paymaster } = chain.contracts;
  const allowance = options.paymasterAllowanceUsdc;
  const initCalldata = encodeInitializeAccount({ token: chain.usdc, paymaster, allowance });

  const setup: SetupBlock = {
    setupType,
    description: describe(setupType, chain.name, allowance),
    authorization: setupType === 'full' ? { contractAddress: account, chainId: chain.chainId } : null,
    initCalldata,
    to: wallet,
    gas: {
      gasLimit: setupGasLimit.toString(),
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

function buildGaslessSetup(
  request: Pick<CheckedRequest, 'chain' | 'wallet'>,
  allowance: bigint,
  { authorization: nonce, permit: permitNonce }: SetupNonces,
): GaslessSetup {
  const { chainId, contracts } = request.chain;
  const { message, ...permit } = usdcPermitTypedData(permitOf(request, allowance, permitNonce));
  const { value, deadline } = message;
  return {
    authorization: nonce === undefined ? null : { contractAddress: contracts.account, chainId, nonce },
    permit: {
      ...permit,
      message: { ...message, value: `${value}`, nonce: `${permitNonce}`, deadline: `${deadline}` },
    },
    endpoint: gaslessSetupPath,
  };
}

/**
 * Check the signatures of a gasless setup.
 *
 * @param allowance - that the permit gives the paymaster, in base units of USDC
 * @throws {SetupTransactionRejectedError} when one is wrong or missing, or the setup of this wallet needs ether
 */
export async function requireSignatures(
  request: Pick<CheckedRequest, 'chain' | 'wallet'>,
  nonces: SetupNonces | undefined,
  allowance: bigint,
  permitSignature: Hex,
  authorization: Eip7702Auth | undefined,
): Promise<void> {
  const { chain, wallet } = request;
  if (!nonces) throw needsEther(chain, allowance);
  const { chainId, contracts } = chain;
  const { authorization: nonce, permit: permitNonce } = nonces;
  if ((nonce === undefined) !== (authorization === undefined))
    throw rejected('auth-list-valid', `The wallet needs ${authorization ? 'no' : 'an'} authorization.`);
  if (nonce !== undefined && authorization) {
    const expected = { wallet, implementation: contracts.account, chainId, nonce };
    const fault = await findAuthorizationFault(authorization, expected);
    if (fault) throw rejected('auth-list-valid', describeFault('authorization', fault), fault);
  }
  const fault = await findPermitFault(permitSignature, permitOf(request, allowance, permitNonce));
  if (!fault) return;
  const permit = `value ${allowance}, nonce ${permitNonce}, spender ${contracts.paymaster}`;
  throw rejected('permit-valid', `${describeFault('permitSignature', fault)} Sign ${permit}.`, fault);
}

const rejected = (failedCheck: GaslessSetupCheck, detail: string, fault?: SignatureFault) =>
  new SetupTransactionRejectedError({
    detail,
    details: { failedCheck, ...fault },
    nextAction: 'Call prepare, and sign both documents of its gaslessSetup again.',
  });

function needsEther({ key, paymaster }: CheckedRequest['chain'], allowance: bigint) {
  const takesNoPermit = paymaster.kind === 'erc7677' || allowance === 0n;
  const failedCheck: GaslessSetupCheck = takesNoPermit ? 'permit-valid' : 'modules-verified';
  const reason = takesNoPermit ? 'the paymaster takes no permit' : 'it has removed a default module';
  return new SetupTransactionRejectedError({
    detail: `The setup of this wallet on ${key} needs ether: ${reason}.`,
    details: { failedCheck },
    nextAction: 'Call prepare, sign the transaction of its setup block and send it to setup-relay.',
  });
}

const permitOf = (
  { chain, wallet: owner }: Pick<CheckedRequest, 'chain' | 'wallet'>,
  value: bigint,
  nonce: bigint,
): UsdcPermit => ({ ...chain, owner, spender: chain.contracts.paymaster, value, nonce });

function describe(setupType: SetupType, chainName: string, allowance: bigint): string {
  const amount = formatAmount(allowance, usdcDecimals);
  const gas = allowance > 0n ? ` and allows the paymaster up to ${amount} USDC for gas` : '';
  return setupType === 'full'
    ? `Sign a type-4 transaction to yourself on ${chainName} that delegates to the account implementation${gas}.`
    : `Sign a type-2 transaction to yourself on ${chainName} that restores the validator and executor modules${gas}.`;
}
