import { InvalidArgumentError } from 'commander';
import { type Abi, type AbiFunction, type Hex, encodeFunctionData, getAbiItem, maxUint256 } from 'viem';
import { decodeRevertReason } from '../decode-revert-reason.js';
import { entryPoint, sendCall } from '../deploy-contracts.js';
import { usdcPaymasterAbi } from '../generated/UsdcPaymaster.js';
import {
  type CliIo,
  type CommonOptions,
  addressesOf,
  outBatch,
  parseAddress,
  readerOf,
  toJson,
  walletOf,
} from './io.js';

const abi: Abi = usdcPaymasterAbi;

/** The functions of our paymaster that the runbooks call. */
export const runbookCalls = {
  pause: 'stop the paymaster; its owner or pauser may',
  setOperationCeiling: 'resume, with the most that one operation may cost, in base units of USDC',
  setMarkup: 'lower the markup, in basis points, or announce a higher one',
  applyMarkup: 'use the announced markup, at any time from a day later on',
  transferOwnership: 'propose another owner',
  acceptOwnership: 'become the owner; the proposed one may',
  setPauser: 'replace the pauser',
  withdrawTokens: 'withdraw base units of a token, or "all"',
  withdrawDeposit: 'withdraw wei of the deposit, or "all"',
  addStake: 'add to the stake, with a delay that is not below the present one',
  unlockStake: 'begin the delay of the stake',
  withdrawStake: 'withdraw the stake after its delay',
};

/** Find the parameters of a function of our paymaster. */
export const functionOf = (name: string) => getAbiItem({ abi, name }) as AbiFunction;

/** Parse an argument on the command line; `all` is 2^256-1. */
export function parseArgument(type: string, text: string) {
  if (type === 'address') return parseAddress(text);
  if (text === 'all') return maxUint256;
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return BigInt(text);
}

/** Simulate a call of our paymaster from its sender, then send or print it. */
export async function callPaymaster(
  options: CommonOptions & { readonly value?: bigint },
  io: CliIo,
  functionName: string,
  args: unknown[] = [],
): Promise<void> {
  const wallet = await walletOf(options);
  const reader = readerOf(options);
  const { paymaster: address } = await addressesOf(options);
  if (!(await reader.getCode({ address })))
    throw new Error(`No paymaster is at ${address}: check --owner, --pauser and --paymaster.`);
  if (functionName === 'withdrawDeposit' && args[1] === maxUint256)
    args[1] = await reader.readContract({
      ...entryPoint,
      functionName: 'balanceOf',
      args: [address],
    });
  const request = { address, abi, functionName, args, value: options.value ?? 0n };
  await reader.simulateContract({ ...request, account: wallet.account }).catch((error: Error) => {
    // viem's short message lacks the name of a custom error.
    const { raw } = error.cause as { readonly raw?: Hex };
    throw raw ? new Error(`${functionName} would revert: ${decodeRevertReason(raw)}.`) : error;
  });
  const purpose = `${functionName}(${args.join(', ')})`;
  const call = { purpose, to: address, value: request.value, data: encodeFunctionData(request) };
  if (options.unsigned) return outBatch(options, io, [call]);
  const { transactionHash: txHash, status } = await sendCall(wallet, reader, call);
  if (status === 'reverted') throw new Error(`${txHash} reverted, so nothing changed.`);
  io.out(toJson({ txHash }));
}
