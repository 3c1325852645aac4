import { FundingFailedError } from '@yield-vault/protocol';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import {
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  isAddressEqual,
  keccak256,
  maxUint256,
  numberToHex,
  parseAbi,
  parseEther,
  parseEventLogs,
  slice,
  stringToBytes,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import type { Balances, ForkChain, Funding } from '../../types.js';
import type { AnvilFork } from './create-anvil-fork.js';
import { createViemClient, findServiceError } from './viem-clients.js';

// The functions of Circle's FiatToken that funding uses.
const usdcAbi = parseAbi([
  'function configureMinter(address minter, uint256 minterAllowedAmount) returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'function mint(address to, uint256 amount) returns (bool)',
  'function minterAllowance(address minter) view returns (uint256)',
]);
const queueLimit = 1_000;
const forkMinter = forkAccount('minter');

/**
 * Make the function that adds to the balances of wallets on a fork. Concurrent calls add up.
 *
 * @throws {FundingFailedError} (the function) the wallet is blacklisted, or no way of adding USDC worked
 * @throws {ForkNotRunningError} (the function) the fork is gone
 */
export function createFunder(
  fork: AnvilFork,
  chain: Pick<ForkChain, 'key' | 'usdc'>,
): (funding: Funding) => Promise<Balances> {
  const client = createViemClient(fork);
  // One at a time: writing a balance reads it first.
  const inTurn = bulkhead(1, queueLimit);

  const fund = async ({ address, ethWei = 0n, usdcBaseUnits = 0n }: Funding): Promise<Balances> => {
    if (usdcBaseUnits > 0n) {
      const addition = { fork, client, token: chain.usdc.address, address, amount: usdcBaseUnits };
      await inTurn.execute(() => addUsdc(addition, chain));
    }
    // After USDC, so that a wallet whose USDC is refused receives nothing.
    if (ethWei > 0n) await fork.addEth(address, ethWei);
    // Anvil's cheats change balances without a block. Clients that cache by block would show the old ones.
    await fork.mine(1);
    const [eth, usdc] = await Promise.all([
      fork.request('eth_getBalance', [address, 'latest']),
      readUsdc(client, chain.usdc.address, address),
    ]);
    return { ethWei: BigInt(eth as string), usdcBaseUnits: usdc };
  };
  return (funding) =>
    fund(funding).catch((error: unknown) => {
      const known = findServiceError(error);
      if (known) throw known;
      const detail =
        error instanceof BulkheadRejectedError
          ? `Too many wallets wait to be funded on ${chain.key}.`
          : `Balances on the fork of ${chain.key} could not be read or set.`;
      const details = { chain: chain.key };
      throw new FundingFailedError({ detail, details, retryAfterSeconds: 1, cause: error });
    });
}

/** Read a token balance, in base units. */
export function readUsdc(client: PublicClient, token: Address, address: Address): Promise<bigint> {
  return client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
}

/** Give an account enough ETH to pay for its transactions. */
export async function payGasOf(
  fork: Pick<AnvilFork, 'request' | 'addEth'>,
  address: Address,
  wei = parseEther('1'),
): Promise<void> {
  const balance = BigInt((await fork.request('eth_getBalance', [address, 'latest'])) as string);
  if (balance < wei) await fork.addEth(address, wei - balance);
}

/** Derive an account that acts on forks. Nobody has its key. */
export function forkAccount(role: 'operator' | 'minter'): Address {
  return getAddress(slice(keccak256(stringToBytes(`yield-vault fork ${role}`)), 12));
}

/** Compute the storage slot of a wallet's balance in the mapping at `slot`. */
export function balanceSlotOf(slot: number, wallet: Address): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [wallet, BigInt(slot)]));
}

/** One addition of USDC to a wallet. */
interface Addition {
  readonly fork: AnvilFork;
  readonly client: PublicClient;
  readonly token: Address;
  readonly address: Address;
  readonly amount: bigint;
}

/** Mint USDC, or write the balance where minting does not work. */
async function addUsdc(
  addition: Addition,
  { key, usdc: { masterMinter, balanceSlot } }: Pick<ForkChain, 'key' | 'usdc'>,
): Promise<void> {
  const { address } = addition;
  if (await isBlacklisted(addition)) {
    throw new FundingFailedError({
      detail: `USDC blacklists ${address} on ${key}.`,
      details: { chain: key, address, reason: 'blacklisted' },
      retryable: false,
      nextAction: 'Use another wallet.',
    });
  }
  const ways = new Map<string, () => Promise<boolean>>();
  if (masterMinter) ways.set('mint', () => mint(addition, masterMinter));
  if (balanceSlot !== undefined) ways.set('slot', () => writeBalance(addition, balanceSlot));
  const failures: unknown[] = [];
  for (const [name, add] of ways) {
    try {
      if (await add()) return;
      failures.push(new Error(`${name} did not add the amount`));
    } catch (error) {
      const known = findServiceError(error);
      if (known) throw known;
      failures.push(error);
    }
  }
  throw new FundingFailedError({
    detail: `No way of adding USDC worked for ${address} on ${key}.`,
    details: { chain: key, address, tried: [...ways.keys()] },
    cause: new AggregateError(failures),
  });
}

/** @returns false also for a token without a blacklist */
async function isBlacklisted({ client, token, address }: Addition): Promise<boolean> {
  try {
    const call = { address: token, abi: usdcAbi, args: [address] } as const;
    return await client.readContract({ ...call, functionName: 'isBlacklisted' });
  } catch (error) {
    if (findServiceError(error)) throw error;
    return false;
  }
}

/** Mint as Circle does: the supply grows, and the token emits events. @returns whether its event says so */
async function mint({ fork, client, token, address, amount }: Addition, master: Address): Promise<boolean> {
  const call = { address: token, abi: usdcAbi, args: [forkMinter] } as const;
  if ((await client.readContract({ ...call, functionName: 'minterAllowance' })) < amount) {
    const args = [forkMinter, maxUint256] as const;
    await payGasOf(fork, master);
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'configureMinter', args });
    await fork.sendAs({ from: master, to: token, data });
  }
  await payGasOf(fork, forkMinter);
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [address, amount] });
  const { status, logs } = await fork.sendAs({ from: forkMinter, to: token, data });
  // The event is proof. The balance is not, if the wallet acts meanwhile.
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs });
  return (
    status === 'success' &&
    transfers.some(
      ({ address: emitter, args }) =>
        isAddressEqual(emitter, token) && isAddressEqual(args.to, address) && args.value === amount,
    )
  );
}

/** Write the balance into the storage of the token. @returns whether the token then reports it */
async function writeBalance(
  { fork, client, token, address, amount }: Addition,
  slot: number,
): Promise<boolean> {
  const target = (await readUsdc(client, token, address)) + amount;
  // Anvil can lose a write while it mines a block.
  for (let attempt = 0; attempt < 3; attempt++) {
    const stored = [token, balanceSlotOf(slot, address), numberToHex(target, { size: 32 })];
    await fork.request('anvil_setStorageAt', stored);
    if ((await readUsdc(client, token, address)) === target) return true;
  }
  return false;
}
