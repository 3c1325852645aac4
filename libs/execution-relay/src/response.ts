import { sponsoredEvents } from '@yield-vault/contracts';
import {
  executionModel,
  formatAmount,
  sameHex,
  TransactionSubmissionError,
  usdcDecimals,
  type ExecuteResponse,
  type PositionUpdate,
  type UserOperation,
} from '@yield-vault/protocol';
import {
  erc20Abi,
  getAddress,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { expired } from './errors.js';
import type { ExecutionChain, IntentRecord, VaultMove } from './ports.js';
import type { Inclusion, VerifiedIntent } from './types.js';

const priceDecimals = 18;
// Not viem's `erc4626Abi`: it calls the owner of a Deposit its receiver.
const vaultEvents = parseAbi([
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);

/**
 * Make the response for an intent with a result.
 *
 * @param options.isFresh - whether a result that is not final yet was read from the chain just now
 * @returns `undefined` while there is none
 * @throws {TransactionSubmissionError} when it failed
 * @throws {TransactionValidationError} when it expired
 */
export function finalResponse(
  record: IntentRecord,
  { isFresh }: { readonly isFresh: boolean },
): ExecuteResponse | undefined {
  const { state, response, failure, expiry } = record;
  const isCurrent = state === 'confirmed' || (state === 'included' && isFresh);
  if (isCurrent && response) return { ...response, result: 'already_executed' };
  if (state === 'failed' && failure) throw new TransactionSubmissionError({ ...failure, retryable: false });
  if (state === 'expired') throw expired(expiry);
  return undefined;
}

/** Build the response for an operation that succeeded on chain. */
export function buildResponse(
  { chain, userOpHash, operation }: VerifiedIntent,
  moves: readonly VaultMove[],
  inclusion: Inclusion,
): ExecuteResponse {
  const paid = gasPaid(chain, userOpHash, operation, inclusion);
  const update = (move: VaultMove, gas = paid) =>
    positionUpdate(move, chain.key, operation.sender, inclusion, gas);
  // In a rebalance, the deposit is the main position, and bears the gas.
  const [source, target] = moves.length === 2 ? moves : [undefined, ...moves];
  return {
    executionModel,
    result: 'executed',
    userOpHash,
    txHash: inclusion.txHash,
    chainId: chain.chainId,
    chain: chain.key,
    receipt: {
      status: inclusion.success ? 'success' : 'reverted',
      gasUsed: inclusion.gasUsed.toString(),
      blockNumber: Number(inclusion.blockNumber),
    },
    explorerUrl: chain.explorerTxUrl(inclusion.txHash),
    positionUpdate: update(target as VaultMove),
    ...(source && { sourcePositionUpdate: update(source, { ...paid, amount: '0' }) }),
  };
}

/**
 * Read the change of a position from the Deposit and Withdraw events of its vault.
 *
 * @returns human-unit decimal strings; negative deltas for a redeem
 */
function positionUpdate(
  move: VaultMove,
  chain: string,
  owner: Address,
  { logs }: Pick<Inclusion, 'logs'>,
  gasPaid: PositionUpdate['gasPaid'],
): PositionUpdate {
  const { hook, vaultId, vaultAddress, vaultName, shareDecimals, assetDecimals } = move;
  const events = parseEventLogs({
    abi: vaultEvents,
    eventName: hook === 'deposit' ? 'Deposit' : 'Withdraw',
    logs: logs.filter((log) => sameHex(log.address, vaultAddress)),
  }).filter(({ args }) => isAddressEqual(args.owner, owner));
  const assets = events.reduce((sum, { args }) => sum + args.assets, 0n);
  const shares = events.reduce((sum, { args }) => sum + args.shares, 0n);
  const sign = hook === 'deposit' ? 1n : -1n;
  return {
    vaultId,
    vaultName,
    chain,
    sharesDelta: formatAmount(sign * shares, shareDecimals),
    assetsDelta: formatAmount(sign * assets, assetDecimals),
    effectivePrice: formatAmount(pricePerShare(assets, shares, move), priceDecimals),
    gasPaid,
  };
}

function pricePerShare(assets: bigint, shares: bigint, { shareDecimals, assetDecimals }: VaultMove): bigint {
  if (shares === 0n) return 0n;
  const scale = 10n ** BigInt(priceDecimals + shareDecimals);
  return (assets * scale) / (shares * 10n ** BigInt(assetDecimals));
}

/**
 * Read the gas payment of an operation from the event of its paymaster. For an unknown event, it is the USDC that moved
 * from the sender to the paymaster and did not come back.
 */
export function gasPaid(
  chain: ExecutionChain,
  userOpHash: Hex,
  { sender, paymaster = zeroAddress }: Pick<UserOperation, 'sender' | 'paymaster'>,
  { bundleLogs }: Pick<Inclusion, 'bundleLogs'>,
): PositionUpdate['gasPaid'] {
  const sponsored = parseEventLogs({
    abi: sponsoredEvents,
    logs: bundleLogs.filter((log) => sameHex(log.address, paymaster)),
  }).find(({ args }) => sameHex(args.userOpHash, userOpHash));
  const amount = sponsored?.args.taken ?? netTransfer(chain, sender, paymaster, bundleLogs);
  return { token: getAddress(chain.usdc), amount: formatAmount(amount, usdcDecimals) };
}

function netTransfer(
  chain: ExecutionChain,
  sender: Address,
  paymaster: Address,
  logs: Inclusion['bundleLogs'],
): bigint {
  return parseEventLogs({
    abi: erc20Abi,
    eventName: 'Transfer',
    logs: logs.filter((log) => sameHex(log.address, chain.usdc)),
  }).reduce((sum, { args: { from, to, value } }) => {
    if (isAddressEqual(from, sender) && isAddressEqual(to, paymaster)) return sum + value;
    if (isAddressEqual(from, paymaster) && isAddressEqual(to, sender)) return sum - value;
    return sum;
  }, 0n);
}
