import type { Eip7702Auth, GaslessSetup, PermitTypedData } from '@yield-vault/protocol';
import { parseDelegation, usdcPermitTypedData } from '@yield-vault/smart-account';
import { isAddressEqual, zeroAddress, type Address } from 'viem';
import { agentAddressBook, type AddressBook, type BookDeployment } from './address-book.js';
import { delegationEffects, permitEffect, summarise, type Effect } from './effects.js';
import { parseGaslessSetupExpectations, type GaslessSetupExpectations } from './expectations.js';
import { findDeployment, requireChain, spenderOf, type DeploymentMark } from './find-deployment.js';
import { readGaslessSetup } from './read-documents.js';
import { demand, refuse, resultOf, type Refusal, type VerificationReason } from './result.js';
import type { VerifyOptions } from './verify-envelope.js';
import { requireDelegation } from './verify-setup.js';

/** A gasless setup whose every field was recomputed. */
export interface VerifiedGaslessSetup {
  readonly ok: true;
  /** The EIP-7702 authorization to sign; `null` where the wallet delegates already. */
  readonly authorization: Pick<Eip7702Auth, 'address' | 'chainId' | 'nonce'> | null;
  /** The EIP-2612 permit to sign; `null` where the paymaster needs none. */
  readonly permit: ReturnType<typeof usdcPermitTypedData> | null;
  readonly deployment: BookDeployment;
  readonly effects: readonly Effect[];
  /** The effects in words, and how long the signatures count, one line each. */
  readonly summary: readonly string[];
}

export type GaslessSetupResult = VerifiedGaslessSetup | Refusal;

const authorizationField = 'gaslessSetup.authorization';
const permitField = 'gaslessSetup.permit';

/**
 * Verify offline what a gasless setup gives a wallet to sign: a delegation to the account of the address book, and, where its
 * paymaster needs an allowance, a permit of a limited amount of USDC. Verify the envelope of the response with the same nonces.
 *
 * @param response - of prepare, or its `gaslessSetup` alone in an object
 * @returns what to sign; or the reason not to sign
 * @throws {InvalidExpectationsError} when the expectations are incomplete or wrong
 * @example
 * const walletCode = await rpc.getCode({ address: wallet });
 * const authorizationNonce = await rpc.getTransactionCount({ address: wallet });
 * const result = verifyGaslessSetup(prepared, { wallet, chain: 'base', walletCode, authorizationNonce });
 * if (!result.ok) throw new Error(result.reason);
 */
export function verifyGaslessSetup(
  response: unknown,
  expectations: GaslessSetupExpectations,
  { addressBook = agentAddressBook }: Pick<VerifyOptions, 'addressBook'> = {},
): GaslessSetupResult {
  const expected = parseGaslessSetupExpectations(expectations);
  return resultOf(() => {
    const given = readGaslessSetup(response);
    const deployment = deploymentOf(given, expected, addressBook);
    requireChain(addressBook, expected.chain, deployment.chainId);
    requireModules(expected);
    const replaced = requireAuthorization(given, deployment, expected);
    const permit = given.permit && requirePermit(given.permit, deployment, expected);

    const { account: address, chainId } = deployment;
    const authorization = given.authorization && { address, chainId, nonce: given.authorization.nonce };
    const effects = [
      ...(authorization ? delegationEffects(deployment, replaced) : []),
      ...(permit ? [permitEffect(deployment, permit.message.value)] : []),
    ];
    const summary = [...summarise(effects, chainId, addressBook)];
    if (authorization)
      summary.push(`anybody who has the authorization can use it while your nonce is ${authorization.nonce}`);
    if (permit)
      summary.push(
        `anybody who has the permit can use it while your nonce of USDC is ${permit.message.nonce}`,
      );
    return { ok: true, authorization, permit, deployment, effects, summary };
  });
}

/** Find the trusted deployment whose account the wallet is to delegate to, or delegates to already. */
function deploymentOf(
  { authorization, permit }: GaslessSetup,
  { walletCode = '0x' }: GaslessSetupExpectations,
  book: AddressBook,
): BookDeployment {
  const chainId =
    permit?.domain.chainId ??
    authorization?.chainId ??
    refuse('SETUP_TYPE_MISMATCH', 'gaslessSetup', 'It has nothing to sign.');
  const ofUsdc = (token: Address): DeploymentMark => [
    ({ usdc }) => usdc,
    token,
    'ASSET_MISMATCH',
    `${permitField}.domain`,
  ];
  return findDeployment(book, chainId, [
    [
      ({ account }) => account,
      authorization?.contractAddress ?? parseDelegation(walletCode) ?? zeroAddress,
      authorization ? 'IMPLEMENTATION_MISMATCH' : 'DELEGATION_MISMATCH',
      authorizationField,
    ],
    [
      spenderOf,
      permit?.message.spender ?? zeroAddress,
      'PAYMASTER_MISMATCH',
      permit ? `${permitField}.message.spender` : permitField,
    ],
    ...(permit ? [ofUsdc(permit.domain.verifyingContract)] : []),
  ]);
}

function requireModules({ removedModules = [] }: GaslessSetupExpectations): void {
  const removed = `The wallet removed its default ${removedModules.join(' and ')}; restoring takes ether.`;
  demand(removedModules.length === 0, 'SETUP_TYPE_MISMATCH', authorizationField, removed);
}

/**
 * Check an authorization against the wallet's state.
 *
 * @returns the implementation that it replaces
 */
function requireAuthorization(
  { authorization }: GaslessSetup,
  deployment: BookDeployment,
  expected: GaslessSetupExpectations,
): Address | undefined {
  if (!authorization) return undefined;
  const { walletCode = '0x', authorizationNonce } = expected;
  const present = parseDelegation(walletCode);
  const isAccount = walletCode === '0x' || present !== undefined;
  const field = authorizationField;
  demand(isAccount, 'DELEGATION_MISMATCH', field, 'The wallet is a contract.');
  const isNew = present === undefined || !isAddressEqual(present, deployment.account);
  demand(isNew, 'SETUP_TYPE_MISMATCH', field, 'The wallet delegates to this account already.');
  const replaced = requireDelegation(field, true, deployment, expected);
  const isHere = authorization.chainId === deployment.chainId;
  demand(isHere, 'CHAIN_MISMATCH', `${field}.chainId`, `It is not ${deployment.chainId}.`);
  const isNext = authorization.nonce === authorizationNonce;
  demand(isNext, 'NONCE_MISMATCH', `${field}.nonce`, `It is not ${authorizationNonce}.`);
  return replaced;
}

/** Check a permit field by field. @returns the typed data that the verification built */
function requirePermit(
  given: PermitTypedData,
  { chainId, usdc, paymaster, allowanceCap }: BookDeployment,
  { wallet: owner, permitNonce: nonce, maxAllowanceUsdc = allowanceCap }: GaslessSetupExpectations,
): NonNullable<VerifiedGaslessSetup['permit']> {
  const { message } = given;
  const [value, spender] = [BigInt(message.value), paymaster.address];
  const isNext = BigInt(message.nonce) === nonce;
  demand(isNext, 'NONCE_MISMATCH', `${permitField}.message.nonce`, `It is not ${nonce}.`);
  const rebuilt = usdcPermitTypedData({ chainId, usdc, owner, spender, value, nonce: BigInt(message.nonce) });
  const check = (condition: boolean, reason: VerificationReason, field: string, detail: string) =>
    demand(condition, reason, `${permitField}.${field}`, detail);
  const takesPermits = paymaster.kind === 'circle';
  check(takesPermits, 'PAYMASTER_MISMATCH', 'message.spender', 'This paymaster takes no permit.');
  check(isAddressEqual(message.owner, owner), 'WALLET_MISMATCH', 'message.owner', `It is not ${owner}.`);
  const tooMuch = `The paymaster is permitted ${value}, above ${maxAllowanceUsdc}.`;
  check(value <= maxAllowanceUsdc, 'ALLOWANCE_TOO_HIGH', 'message.value', tooMuch);
  const other = 'USDC or its paymaster takes no such permit.';
  const isEndless = BigInt(message.deadline) === rebuilt.message.deadline;
  check(isEndless, 'SIGNING_MISMATCH', 'message.deadline', other);
  const { name, version } = rebuilt.domain;
  const isOfUsdc = given.domain.name === name && given.domain.version === version;
  check(isOfUsdc, 'SIGNING_MISMATCH', 'domain', other);
  const isPermit = fieldsOf(given) === fieldsOf(rebuilt);
  check(isPermit, 'SIGNING_MISMATCH', 'types', other);
  return rebuilt;
}

const fieldsOf = ({ types }: Pick<PermitTypedData, 'types'>) =>
  JSON.stringify(types.Permit.map(({ name, type }) => [name, type]));
