import { usdcPaymasterAbi } from '@yield-vault/contracts';
import { formatAmount, type PositionUpdate, sameHex } from '@yield-vault/protocol';
import { erc20Abi, getAddress, isAddressEqual, parseEventLogs, type Address, type Hex } from 'viem';
import type { ExecutionChain } from '../ports.js';
import type { Inclusion } from '../types.js';

const usdcDecimals = 6;

/**
 * Read what an operation paid for its gas: from the paymaster's own event, or, from one that has another event, as
 * the USDC that went from the sender to the paymaster and did not come back.
 */
export function gasPaid(
  chain: ExecutionChain,
  userOpHash: Hex,
  sender: Address,
  { bundleLogs }: Pick<Inclusion, 'bundleLogs'>,
): PositionUpdate['gasPaid'] {
  const { paymaster } = chain.contracts;
  const [sponsored] = parseEventLogs({
    abi: usdcPaymasterAbi,
    eventName: 'UserOperationSponsored',
    args: { userOpHash },
    logs: bundleLogs.filter((log) => sameHex(log.address, paymaster)),
  });
  const amount = sponsored?.args.tokenAmount ?? netTransfer(chain, sender, paymaster, bundleLogs);
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
