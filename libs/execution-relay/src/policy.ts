import { largestAllowanceUsdc, paymasterAllowance } from '@yield-vault/chains';
import { isNamed, sameHex, type UserOperation } from '@yield-vault/protocol';
import {
  decodeGasGrant,
  nonceKey,
  parseOperationHooks,
  splitNonce,
  type CallDataNotAllowedError,
  type OperationHooks,
} from '@yield-vault/smart-account';
import type { Address } from 'viem';
import { expired, invalid } from './errors.js';
import type { ExecutionChain, VaultMove, VaultsPort } from './ports.js';
import type { VerifiedIntent } from './types.js';

/**
 * Check the rules that matter only until an intent is submitted: it keeps the rules of the deployment, it is due, and
 * each deposit vault is listed. A redeem from a vault that is no longer listed stays possible.
 *
 * @param nowMs - Unix milliseconds
 * @returns its moves at the vaults
 * @throws {TransactionValidationError} with reason WRONG_NONCE_KEY, WRONG_PAYMASTER, CALLDATA_NOT_ALLOWED,
 *   UNLISTED_VAULT, INTENT_EXPIRED or INTENT_NOT_YET_VALID
 */
export function requireSubmittable(
  intent: VerifiedIntent,
  vaults: VaultsPort,
  nowMs: number,
): readonly VaultMove[] {
  const { chain, operation } = intent;
  checkModuleAndPaymaster(operation, chain);
  checkTokens(operation, chain);
  const moves = readMoves(intent, vaults);
  checkDue(intent, nowMs);
  for (const { hook, vaultAddress: vault } of moves) {
    if (hook === 'redeem' || vaults.byAddress(chain.chainId, vault)?.listed) continue;
    throw unlisted(vault, 'takes no deposits through this service');
  }
  return moves;
}

function checkModuleAndPaymaster(operation: UserOperation, chain: ExecutionChain): void {
  const { key, contracts } = chain;
  if (splitNonce(operation.nonce).key !== nonceKey(contracts.validator))
    throw invalid('WRONG_NONCE_KEY', 'The key of the nonce does not select the intent validator module.');
  const expected = contracts.paymaster;
  if (!operation.paymaster || !sameHex(operation.paymaster, expected))
    throw invalid('WRONG_PAYMASTER', `The paymaster on ${key} is ${expected}.`, {
      field: 'paymaster',
      expected,
      given: operation.paymaster ?? null,
    });
  checkGrant(operation, chain);
}

// The account pays any paymaster that it grants gas to, so only ours may be granted any.
function checkGrant({ paymasterData = '0x' }: UserOperation, { paymaster, usdc }: ExecutionChain): void {
  const grant = decodeGasGrant(paymasterData);
  if (paymaster.kind === 'own' ? grant && sameHex(grant.token, usdc) : !grant) return;
  const expected = paymaster.kind === 'own' ? `a grant of ${usdc}` : 'no grant';
  throw invalid('WRONG_PAYMASTER', `The data of this paymaster has ${expected}.`, {
    field: 'paymasterData',
    expected,
    given: paymasterData,
  });
}

/** Only the USDC that pays for gas may stay allowed: one base unit to a vault, and the cap to a paymaster that needs it. */
function checkTokens(operation: UserOperation, chain: ExecutionChain): void {
  const { usdc, contracts } = chain;
  const { vaultHooks, approvals } = hooksOf(operation);
  const cap = paymasterAllowance(chain, largestAllowanceUsdc);
  const isAllowed =
    vaultHooks.every((hook) => hook.hook === 'redeem' || !hook.keepOne || sameHex(hook.token, usdc)) &&
    approvals.every(
      ({ spender, token, amount }) =>
        cap > 0n && amount <= cap && sameHex(spender, contracts.paymaster) && sameHex(token, usdc),
    );
  if (!isAllowed)
    throw invalid('CALLDATA_NOT_ALLOWED', 'The call data would leave more allowed than prepare does.');
}

/**
 * Read the moves of an operation: a deposit, a redeem or a rebalance of known vaults, each with its own asset. The
 * receiver is always the account, because hooks have none.
 *
 * @returns the moves at the vaults
 * @throws {TransactionValidationError} with reason CALLDATA_NOT_ALLOWED or UNLISTED_VAULT
 */
export function readMoves(
  { chain, operation }: Pick<VerifiedIntent, 'chain' | 'operation'>,
  vaults: VaultsPort,
): readonly VaultMove[] {
  return hooksOf(operation).vaultHooks.map((each) => {
    const { hook, vault: address, token } = each;
    const amount = each.hook === 'deposit' ? each.amount : each.shares;
    const vault = vaults.byAddress(chain.chainId, address);
    if (!vault || !sameHex(vault.asset.address, token))
      throw unlisted(address, `is not listed with the asset ${token}`);
    return {
      hook,
      amount: typeof amount === 'bigint' ? String(amount) : undefined,
      vaultId: vault.vaultId,
      vaultAddress: vault.vaultAddress,
      vaultName: vault.name,
      shareDecimals: vault.shareDecimals,
      assetDecimals: vault.asset.decimals,
    };
  });
}

const unlisted = (vault: Address, fault: string) =>
  invalid(
    'UNLISTED_VAULT',
    `The vault ${vault} ${fault}.`,
    { vault },
    'Call discover, and call prepare with a vaultId of its response.',
  );

// An intent is checked more than once, and parsing is most of a check.
const parsed = new WeakMap<UserOperation, OperationHooks>();

/**
 * Parse the hooks of an operation.
 *
 * @throws {TransactionValidationError} with reason CALLDATA_NOT_ALLOWED
 */
export function hooksOf(operation: UserOperation): OperationHooks {
  try {
    const hooks = parsed.get(operation) ?? parseOperationHooks(operation.callData);
    parsed.set(operation, hooks);
    return hooks;
  } catch (error) {
    if (!isNamed<CallDataNotAllowedError>(error, 'CallDataNotAllowedError')) throw error;
    throw invalid(
      'CALLDATA_NOT_ALLOWED',
      'The call data must be one call of runHooks: a deposit, a redeem, or a redeem and the deposit of its proceeds.',
    );
  }
}

// By the bounds of the entry point.
function checkDue({ expiry, validAfter }: VerifiedIntent, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  if (now >= expiry) throw expired(expiry);
  if (now < validAfter) throw invalid('INTENT_NOT_YET_VALID', `The intent is valid after ${validAfter}.`);
}
