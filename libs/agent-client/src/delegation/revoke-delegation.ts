import { findError, invalidParameters } from '@yield-vault/protocol';
import { encodeFunctionData, erc20Abi, formatUnits, zeroAddress, type Address, type Hex } from 'viem';
import { callNode } from '../errors.js';
import { signTransaction, type UnsignedTransaction } from '../sign/sign-transaction.js';
import { addressOf, type AgentSigner } from '../sign/signer.js';
import { agentAddressBook } from '../verify/address-book.js';
import {
  deploymentsOn,
  describeDelegation,
  type DelegationReport,
  type DelegationRpc,
  type DescribeOptions,
} from './describe-delegation.js';
import { readNextTransaction, withMargin, type TransactionRpc } from './price-transaction.js';

/** The calls of a node that a revocation needs. */
export type RevocationRpc = DelegationRpc & TransactionRpc;

export interface RevokeOptions extends DescribeOptions {
  /** Revoke a delegation to an implementation that is not in the address book, too. */
  readonly revokeUnknown?: boolean;
}

/** The transaction that revokes a delegation. */
export interface Revocation {
  /** State of the wallet at preparation. */
  readonly report: DelegationReport;
  /** `null` when there is nothing to revoke. */
  readonly transaction: UnsignedTransaction | null;
  /** Effects of the transaction, one line each. */
  readonly summary: readonly string[];
  /** State that remains after it, one line each. */
  readonly remains: readonly string[];
  /** Upper bound of its cost, without the fee for data that a rollup adds. */
  readonly maxCostWei: bigint;
  /** How much ether the wallet lacks for it. */
  readonly missingWei: bigint;
}

/** The wallet delegates to an implementation that is not in the address book. */
export class UnknownDelegationError extends Error {
  override readonly name = 'UnknownDelegationError';
  readonly code = 'UNKNOWN_DELEGATION';

  constructor(readonly implementation: Address) {
    super(
      `The wallet delegates to ${implementation}, which the address book does not have. Add its deployment to the book, or set revokeUnknown.`,
    );
  }
}

// EIP-7702 charges this for an authorization before it refunds a part; the estimate is made without one.
const authorizationGas = 25_000n;
const transferGas = 21_000n;

/**
 * Prepare the transaction that clears the delegation of a wallet. The same transaction sets the USDC allowance of the
 * paymaster to zero. Nothing is signed or sent.
 *
 * @throws {UnknownDelegationError} when the wallet delegates elsewhere and `revokeUnknown` is not set
 * @throws {InvalidParametersError} when the address is a contract
 * @throws {TransactionInFlightError} when a transaction of the wallet is pending
 * @throws {NodeFailedError} when the node fails
 * @throws {UnknownChainError} when the address book has no deployment on the node's chain
 */
export async function prepareRevocation(
  rpc: RevocationRpc,
  wallet: Address,
  { addressBook = agentAddressBook, revokeUnknown = false }: RevokeOptions = {},
): Promise<Revocation> {
  const report = await describeDelegation(rpc, wallet, { addressBook });
  const { delegation, chainId, allowances } = report;
  requireRevocable(report, revokeUnknown);
  const [{ usdc }] = deploymentsOn(addressBook, chainId);

  return callNode(async () => {
    const { nonce, fees, costOf } = await readNextTransaction(rpc, wallet);
    const [allowance] = allowances;
    const approval = allowance && (await estimateApproval(rpc, report.wallet, usdc, allowance.spender));
    const delegates = delegation.kind !== 'none';
    const remains = remainsOf(report, approval?.spender);
    if (!delegates && !approval)
      return { report, transaction: null, summary: [], remains, maxCostWei: 0n, missingWei: 0n };

    const { to, data, gas } = approval ?? { to: wallet, data: '0x' as const, gas: transferGas };
    const transaction: UnsignedTransaction = {
      type: delegates ? 'eip7702' : 'eip1559',
      chainId,
      nonce,
      to,
      data,
      value: 0n,
      gas: withMargin(gas) + (delegates ? authorizationGas : 0n),
      ...fees,
      // The sender's nonce is incremented before its own authorization is checked.
      authorization: delegates ? { address: zeroAddress, chainId, nonce: nonce + 1 } : null,
    };
    const summary = [
      ...(delegates ? ['clear the delegation: the wallet is a plain externally owned account again'] : []),
      ...(approval ? [`set the USDC allowance of the paymaster ${approval.spender} to 0`] : []),
    ];
    return { report, transaction, summary, remains, ...costOf(transaction.gas) };
  });
}

/**
 * Sign the transaction that clears the delegation of a wallet and sets the USDC allowance of the paymaster to zero.
 * Nothing is sent.
 *
 * @returns the revocation and its raw transaction, `null` when there is nothing to revoke
 * @throws {UnsupportedSignerError} when the signer cannot sign authorizations
 * @throws {UnknownDelegationError | InvalidParametersError | TransactionInFlightError | NodeFailedError |
 * UnknownChainError} as `prepareRevocation`
 * @example
 * const { signedRawTx, remains } = await revokeDelegation(rpc, signer);
 * if (signedRawTx) await rpc.sendRawTransaction({ serializedTransaction: signedRawTx });
 */
export async function revokeDelegation(
  rpc: RevocationRpc,
  signer: AgentSigner,
  options: RevokeOptions = {},
): Promise<Revocation & { readonly signedRawTx: Hex | null }> {
  const revocation = await prepareRevocation(rpc, await addressOf(signer), options);
  const { transaction } = revocation;
  return { ...revocation, signedRawTx: transaction && (await signTransaction(signer, transaction)) };
}

function requireRevocable({ delegation }: DelegationReport, revokeUnknown: boolean): void {
  if (delegation.kind === 'contract') {
    throw invalidParameters([
      { field: 'wallet', message: 'is a contract; give an externally owned account' },
    ]);
  }
  if (delegation.kind === 'unknown' && !revokeUnknown)
    throw new UnknownDelegationError(delegation.implementation);
}

/** @returns `undefined` when the token refuses the call, so that the delegation can be cleared without it */
async function estimateApproval(
  rpc: Pick<RevocationRpc, 'estimateGas'>,
  wallet: Address,
  usdc: Address,
  spender: Address,
): Promise<{ to: Address; data: Hex; gas: bigint; spender: Address } | undefined> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 0n] });
  try {
    return { to: usdc, data, gas: await rpc.estimateGas({ account: wallet, to: usdc, data }), spender };
  } catch (error) {
    if (findError(error, 'ExecutionRevertedError')) return undefined;
    throw error;
  }
}

function remainsOf(
  { modules, modulesComplete, allowances }: DelegationReport,
  cleared: Address | undefined,
): readonly string[] {
  return [
    ...modules
      .filter(({ isDefault }) => !isDefault)
      .map(
        ({ type, address }) =>
          `the ${type} module ${address} in the storage, which counts again after the next setup`,
      ),
    ...(modulesComplete
      ? []
      : ['modules that other code wrote to the storage; do not set this wallet up again']),
    ...allowances
      .filter(({ spender }) => spender !== cleared)
      .map(({ spender, amount }) => `the allowance of ${formatUnits(amount, 6)} USDC for ${spender}`),
  ];
}
