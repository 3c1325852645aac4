import { AlreadySetUpError, type SetupTicket } from '@yield-vault/protocol';
import { encodeInitializeAccount, readRemovedDefaults, type WalletState } from '@yield-vault/smart-account';
import { decodeFunctionResult, encodeFunctionData, hexToBytes, keccak256, parseAbi, type Hex } from 'viem';
import { readFromWalletNode, ticketRejected, transactionRejected } from './errors.js';
import type { SetupChain } from './ports.js';
import type { SetupTransaction } from './transaction.js';
import { readWallet } from './verify-wallet.js';

const signAgain = 'Sign the setup again with the right nonce and send it.';
const asPrepared = 'Sign the setup again with the gas that prepare gives and send it.';

/**
 * Check the setup that the wallet needs, the nonce, the gas limit, the fee and the balance. On the OP stack, the
 * balance must cover the fee of L1 too.
 *
 * @param allowance - that the setup grants, in base units of USDC
 * @throws {AlreadySetUpError} when it would change nothing
 * @throws {SetupTicketRejectedError} when the wallet needs the other setup type, or a restore of removed modules
 * @throws {SetupTransactionRejectedError} when the transaction cannot be mined; `details.reason` says why
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function requireSendable(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  allowance: bigint,
): Promise<void> {
  const address = ticket.walletAddress;
  const reads = [
    readWallet(chain, address),
    chain.rpc.getTransactionCount({ address, blockTag: 'latest' }),
    chain.rpc.getTransactionCount({ address, blockTag: 'pending' }),
    chain.rpc.getBalance({ address }),
    chain.rpc.getBlock({ blockTag: 'latest' }),
    readL1Fee(chain, transaction.unsigned),
    readRemovedDefaults(chain.rpc, address),
  ] as const;
  const [state, mined, pending, balance, head, l1Fee, removed] = await readFromWalletNode(
    chain,
    Promise.all(reads),
  );

  if (isSetUp(state, ticket, allowance))
    throw new AlreadySetUpError({ detail: `The wallet ${address} is set up. Nothing was sent.` });
  const delegated = state.kind === 'configured' || state.kind === 'modules-missing';
  const needed = delegated ? 'modules' : 'full';
  if (ticket.setupType !== needed) {
    throw ticketRejected('tx-type-valid', `The wallet needs a setup of type ${needed}.`, { needed });
  }
  if (transaction.data === '0x' && removed.length > 0)
    throw ticketRejected(
      'calldata-hash-match',
      `The wallet removed its default ${removed.join(' and ')}, and this setup does not restore it.`,
      {
        field: 'initCalldataHash',
        expected: keccak256(encodeInitializeAccount()),
        given: ticket.initCalldataHash,
      },
    );
  const refuse = (
    reason: string,
    detail: string,
    nextAction: string,
    details: Record<string, string | number>,
  ) => transactionRejected('tx-broadcast', detail, { details: { reason, ...details }, nextAction });
  const nonces = { expected: pending, given: transaction.nonce };
  if (transaction.nonce < mined) {
    throw refuse('NONCE_TOO_LOW', `The wallet used nonce ${transaction.nonce} already.`, signAgain, nonces);
  }
  if (transaction.nonce > pending) {
    throw refuse('NONCE_TOO_HIGH', `The next nonce of the wallet is ${pending}.`, signAgain, nonces);
  }
  // Some nodes accept such a transaction and keep it for ever.
  const leastGas = intrinsicGas(transaction);
  if (transaction.gas < leastGas) {
    const limits = { requiredGas: leastGas.toString(), givenGas: transaction.gas.toString() };
    throw refuse('GAS_LIMIT_TOO_LOW', 'No block can hold it with this gas limit.', asPrepared, limits);
  }
  const baseFee = head.baseFeePerGas ?? 0n;
  if (transaction.maxFeePerGas < baseFee) {
    const fees = { baseFeePerGas: baseFee.toString(), maxFeePerGas: transaction.maxFeePerGas.toString() };
    throw refuse(
      'FEE_TOO_LOW',
      'Its maxFeePerGas is below the base fee of the latest block.',
      asPrepared,
      fees,
    );
  }
  const required = transaction.gas * transaction.maxFeePerGas + l1Fee;
  if (balance < required) {
    throw refuse(
      'INSUFFICIENT_FUNDS',
      'The wallet cannot pay for the gas of its setup.',
      'Fund the wallet with ETH for the setup and send the same transaction again.',
      {
        requiredWei: required.toString(),
        availableWei: balance.toString(),
        ...(l1Fee > 0n && { l1FeeWei: l1Fee.toString() }),
      },
    );
  }
}

/** Whether a setup would change nothing. A `modules` setup may also raise the allowance. */
function isSetUp(state: WalletState, { setupType }: SetupTicket, allowance: bigint): boolean {
  if (state.kind !== 'configured') return false;
  const { paymasterAllowance } = state;
  return paymasterAllowance >= allowance || (setupType === 'full' && paymasterAllowance > 0n);
}

// EIP-2028, EIP-7623 and EIP-7702.
const perTransaction = 21_000;
const perZeroByte = 4;
const perOtherByte = 16;
const floorPerToken = 10;
const tokensPerOtherByte = 4;
const perAuthorization = 25_000;

/** Compute the intrinsic gas of a transaction, without an access list, which setups do not need. */
export function intrinsicGas({
  data,
  authorizationList,
}: Pick<SetupTransaction, 'data' | 'authorizationList'>): bigint {
  const bytes = hexToBytes(data);
  const zeros = bytes.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  const others = bytes.length - zeros;
  const standard = zeros * perZeroByte + others * perOtherByte + authorizationList.length * perAuthorization;
  const floor = (zeros + others * tokensPerOtherByte) * floorPerToken;
  return BigInt(perTransaction + Math.max(standard, floor));
}

/** A predeploy of each chain of the OP stack. */
export const gasPriceOracle = '0x420000000000000000000000000000000000000F';
const getL1Fee = {
  abi: parseAbi(['function getL1Fee(bytes unsigned) view returns (uint256)']),
  functionName: 'getL1Fee',
} as const;

/**
 * Read the L1 fee of a transaction on a chain of the OP stack. It comes on top of the gas, and no signed field limits it.
 *
 * @returns wei; 0 on other chains, which lack the contract
 */
async function readL1Fee({ rpc }: Pick<SetupChain, 'rpc'>, unsigned: Hex): Promise<bigint> {
  const { data } = await rpc.call({
    to: gasPriceOracle,
    data: encodeFunctionData({ ...getL1Fee, args: [unsigned] }),
  });
  return data === undefined ? 0n : decodeFunctionResult({ ...getL1Fee, data });
}
