import { localUsdcAbi } from '@yield-vault/contracts/local';
import {
  encodeFunctionData,
  erc20Abi,
  isAddressEqual,
  maxUint256,
  numberToHex,
  parseEventLogs,
  type Address,
  type PublicClient,
} from 'viem';
import type { LaunchedFork } from '../ports.js';
import type { SentTransaction, UsdcFacts } from '../types.js';
import { balanceSlotOf, blacklistBit, readBalanceSlot } from './balance-slot.js';
import { forkMinter, payGasOf } from './fork-accounts.js';

/** One addition of USDC to a wallet. */
export interface UsdcAddition {
  readonly fork: LaunchedFork;
  readonly client: PublicClient;
  readonly usdc: UsdcFacts;
  readonly address: Address;
  /** To be added. */
  readonly missing: bigint;
  /** Balance of the wallet afterwards. */
  readonly target: bigint;
}

/** A way of getting USDC on a fork. */
export interface UsdcMethod {
  readonly name: 'mint' | 'deal' | 'slot' | 'whale';
  /** @returns whether it was seen to work; undefined where only the balance can tell */
  add(addition: UsdcAddition): Promise<boolean | undefined>;
}

/** Choose the ways that the facts of a token allow, the most faithful first. */
export function usdcMethods({ masterMinter, balanceSlot, whale }: UsdcFacts): readonly UsdcMethod[] {
  return [
    ...(masterMinter ? [{ name: 'mint', add: (by) => mint(by, masterMinter) } satisfies UsdcMethod] : []),
    { name: 'deal', add: deal },
    ...(balanceSlot === undefined
      ? []
      : [{ name: 'slot', add: (by) => writeSlot(by, balanceSlot) } satisfies UsdcMethod]),
    ...(whale ? [{ name: 'whale', add: (by) => takeFrom(by, whale) } satisfies UsdcMethod] : []),
  ];
}

/** Really mint: the supply grows, and there is an event. */
async function mint(
  { fork, client, usdc, address, missing }: UsdcAddition,
  master: Address,
): Promise<boolean> {
  const token = { address: usdc.address, abi: localUsdcAbi } as const;
  const allowed = await client.readContract({
    ...token,
    functionName: 'minterAllowance',
    args: [forkMinter],
  });
  if (allowed < missing) {
    const args = [forkMinter, maxUint256] as const;
    const data = encodeFunctionData({ abi: token.abi, functionName: 'configureMinter', args });
    await payGasOf(fork, master);
    await fork.sendAs({ from: master, to: usdc.address, data });
  }
  const data = encodeFunctionData({ abi: token.abi, functionName: 'mint', args: [address, missing] });
  await payGasOf(fork, forkMinter);
  return didTransfer(await fork.sendAs({ from: forkMinter, to: usdc.address, data }), usdc, address, missing);
}

async function deal({ fork, usdc, address, target }: UsdcAddition): Promise<undefined> {
  await fork.setTokenBalance(usdc.address, address, target);
}

async function writeSlot(
  { fork, client, usdc, address, target }: UsdcAddition,
  slot: number,
): Promise<undefined> {
  const flag = (await readBalanceSlot(client, usdc.address, slot, address)) & blacklistBit;
  const word = numberToHex(flag | target, { size: 32 });
  await fork.setStorageAt(usdc.address, balanceSlotOf(slot, address), word);
}

async function takeFrom({ fork, usdc, address, missing }: UsdcAddition, whale: Address): Promise<boolean> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [address, missing] });
  await payGasOf(fork, whale);
  return didTransfer(await fork.sendAs({ from: whale, to: usdc.address, data }), usdc, address, missing);
}

function didTransfer(
  { success, logs }: SentTransaction,
  usdc: UsdcFacts,
  address: Address,
  amount: bigint,
): boolean {
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: [...logs] });
  return (
    success &&
    transfers.some(
      ({ address: token, args }) =>
        isAddressEqual(token, usdc.address) && isAddressEqual(args.to, address) && args.value === amount,
    )
  );
}
