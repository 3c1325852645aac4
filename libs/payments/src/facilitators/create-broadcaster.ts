import { setTimeout as pause } from 'node:timers/promises';
import { asUpstreamError, waitOrGiveUp } from '@yield-vault/chains';
import { sameHex, UpstreamUnavailableError } from '@yield-vault/protocol';
import pLimit from 'p-limit';
import type { Address, Hex, LocalAccount, TransactionReceipt } from 'viem';
import { unavailable, unconfirmed } from '../errors.js';
import type { PaymentChain } from '../ports.js';
import { createGasAccount, type Call } from './create-gas-account.js';
import { assumeFees, isEnough, offerFees, type AskedFees, type OfferedFees } from './offer-fees.js';
import { tryAfter } from './try-after.js';

const maxQueue = 256;
// An account none of whose transactions is in so many blocks is stuck.
const patienceBlocks = 3n;
const tendEveryMs = 500;

/** Sends the transactions of one account to one chain. */
export interface Broadcaster {
  readonly address: Address;
  /**
   * Send a transaction that would succeed now, after all that was sent for the same payer, and only such a one. Wait
   * until it is mined. The same call again goes on waiting for the first one, as long as the node knows it.
   *
   * @param payer - whose balance it spends
   * @returns the receipt of what is mined, which may have reverted there
   * @throws {BaseError} when it would revert; it is not sent
   * @throws {UpstreamUnavailableError} when it is not sent, or not mined in time
   */
  send(call: Call, payer: Address): Promise<TransactionReceipt>;
  /** @throws {UpstreamUnavailableError} when nothing would be sent now, as fees are above the limit */
  checkFees(): Promise<void>;
}

export interface BroadcasterOptions {
  /** How long a transaction is waited for, its turn included. */
  readonly confirmationTimeoutMs: number;
  /** Wei; above it nothing is sent and nothing replaced. */
  readonly maxFeePerGas?: bigint | undefined;
}

/** For how long somebody waits, from when the transaction was handed in. */
interface Patience {
  /** Unix milliseconds. */
  readonly deadlineMs: number;
  /** Resolves then. */
  readonly isOver: Promise<undefined>;
}

/** What was sent with one nonce. When it was replaced, any one of its hashes may be mined. */
interface Transfer {
  readonly nonce: number;
  readonly call: Call;
  /** Absent when it does nothing. */
  readonly payer?: Address;
  readonly hashes: Hex[];
  fees: OfferedFees;
}

/**
 * Send one transaction after the other, each with the nonce that the node names. A counter of our own would go wrong
 * for good when the chain is put back, or when one transaction is lost.
 *
 * Each one waits behind all earlier ones of the account. When those get nowhere, whoever waits replaces all that offer
 * too little: by the same call, or by nothing where that would revert by now or was sent by a process that is gone. The
 * payer of what is replaced by nothing has not paid, and sends the same authorization again.
 */
export function createBroadcaster(
  chain: PaymentChain,
  account: LocalAccount,
  { confirmationTimeoutMs, maxFeePerGas }: BroadcasterOptions,
): Broadcaster {
  const { address } = account;
  const nothing: Call = { to: address, data: '0x' };
  const node = createGasAccount(chain, account, maxFeePerGas);
  const failed = (reason: string, cause?: unknown) => unavailable(`facilitator:${chain.key}`, reason, cause);
  const turns = pLimit(1);
  const line = new Map<number, Transfer>();
  // The first nonce that is not mined, and the block since which that is known.
  let head = { nonce: -1, block: 0n };
  let nextTendMs = 0;
  let obstacle: UpstreamUnavailableError | undefined;

  async function findUnderWay({ to, data }: Call): Promise<Transfer | undefined> {
    const transfer = [...line.values()].find(({ call }) => call.data === data && sameHex(call.to, to));
    if (!transfer || !(await node.areLost(transfer.hashes))) return transfer;
    forget(transfer);
    return undefined;
  }

  function forget(transfer: Transfer): void {
    if (line.get(transfer.nonce) === transfer) line.delete(transfer.nonce);
  }

  // Asked in its turn, when all that goes before it is known: of many payments over one balance only those that it
  // covers are sent, for we would pay the gas of the others.
  async function sendNext(call: Call, payer: Address): Promise<Transfer> {
    const ahead = [...line.values()].filter((transfer) => transfer.payer === payer);
    const [nonce, gas, asked] = await Promise.all([
      node.countSent('pending'),
      node.estimateGas(call),
      node.askFees(),
      tryAfter(
        chain,
        ahead.map((transfer) => transfer.call),
        call,
      ),
    ]);
    const earlier = line.get(nonce);
    // A node that lags behind must not make two transfers fight for one nonce.
    if (earlier && !(await node.areLost(earlier.hashes)))
      throw (await seeToLine()) ?? failed('the nonce is taken');
    const fees = offerFees(asked, maxFeePerGas);
    const transfer = { nonce, call, payer, fees, hashes: [await node.submit(nonce, call, gas, fees)] };
    line.set(nonce, transfer);
    if (nonce === head.nonce) head = { nonce, block: asked.block };
    return transfer;
  }

  // From here on it may be mined at any time: nothing that goes wrong may look as if it had failed.
  async function awaitMined(
    transfer: Transfer,
    { deadlineMs, isOver }: Patience,
  ): Promise<TransactionReceipt> {
    const waiting = { deadlineMs, pollMs: 10, now: Date.now };
    for (let looks = 0; ; looks++) {
      const mined = await Promise.race([node.findMined(transfer.hashes), isOver]);
      if (mined) {
        forget(transfer);
        return mined;
      }
      await Promise.race([tend(), isOver]);
      await waitOrGiveUp(notMined, waiting, looks).catch((error: unknown) => {
        throw obstacle ?? unconfirmed(chain, error);
      });
    }
  }

  // What is given up goes on all the same: whoever sends the payment again finds it.
  function beginWaiting(): Patience {
    return {
      deadlineMs: Date.now() + confirmationTimeoutMs,
      isOver: pause(confirmationTimeoutMs, undefined, { ref: false }),
    };
  }

  /** See to the whole line now and then, on behalf of all who wait. */
  async function tend(): Promise<void> {
    if (Date.now() < nextTendMs) return;
    nextTendMs = Infinity;
    obstacle = await turns(seeToLine);
    nextTendMs = Date.now() + tendEveryMs;
  }

  /** @returns why it failed, if it did: that is never about the payment at hand */
  async function seeToLine(): Promise<UpstreamUnavailableError | undefined> {
    return unblock().then(
      () => undefined,
      (error: unknown) => asUpstreamError(error, chain.key) ?? failed('the line is stuck', error),
    );
  }

  async function unblock(): Promise<void> {
    const [mined, sent] = await Promise.all([node.countSent('latest'), node.countSent('pending')]);
    for (const nonce of line.keys()) if (nonce < mined) line.delete(nonce);
    const asked = await node.askFees();
    const isMoving = mined !== head.nonce || asked.block < head.block;
    if (isMoving) head = { nonce: mined, block: asked.block };
    if (asked.block < head.block + patienceBlocks) return;
    const inPool = Array.from({ length: Math.min(sent - mined, maxQueue) }, (_, index) => mined + index);
    // Some nodes drop what offers too little, or do not count it.
    const uncounted = [...line.keys()].filter((nonce) => nonce >= sent);
    for (const nonce of [...inPool, ...uncounted]) await renew(nonce, asked);
    head = { nonce: mined, block: asked.block };
  }

  /** Replace what was sent with a nonce, if it offers too little, or the node or we do not know what it is. */
  async function renew(nonce: number, asked: AskedFees): Promise<void> {
    const stuck = line.get(nonce);
    const offered = stuck && isEnough(stuck.fees, asked) ? stuck : undefined;
    if (offered && !(await node.areLost(offered.hashes.slice(-1)))) return;
    // What the node never got is offered once more as it was; more would raise fees for nothing.
    const fees = offered?.fees ?? offerFees(asked, maxFeePerGas, stuck?.fees ?? assumeFees(asked));
    const gas = stuck && (await estimateStuck(stuck.call));
    const transfer = stuck && gas ? stuck : { nonce, call: nothing, fees, hashes: [] };
    const limit = gas ?? (await node.estimateGas(nothing));
    const hash = await node.submit(nonce, transfer.call, limit, fees);
    if (!transfer.hashes.includes(hash)) transfer.hashes.push(hash);
    transfer.fees = fees;
    line.set(nonce, transfer);
  }

  /** @returns `undefined` when it would revert; asked of the last block, as it is itself part of what is pending */
  async function estimateStuck(call: Call): Promise<bigint | undefined> {
    return node.estimateGas(call, 'latest').catch((error: unknown) => {
      if (error instanceof UpstreamUnavailableError) throw error;
      return undefined;
    });
  }

  return {
    address,
    async send(call, payer) {
      const patience = beginWaiting();
      const underWay = await findUnderWay(call);
      if (underWay) return awaitMined(underWay, patience);
      if (turns.pendingCount >= maxQueue) throw failed('too many transfers are waiting');
      // An earlier attempt may have sent it while this one waited for its turn.
      const turn = turns(async () => (await findUnderWay(call)) ?? sendNext(call, payer));
      const transfer = await Promise.race([turn, patience.isOver]);
      if (!transfer) throw failed('earlier transfers take too long');
      return awaitMined(transfer, patience);
    },
    async checkFees() {
      if (maxFeePerGas !== undefined) await node.askFees();
    },
  };
}

const notMined = { detail: 'The transfer is not mined yet.', details: {} };
