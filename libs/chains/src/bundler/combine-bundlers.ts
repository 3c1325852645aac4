import { UpstreamUnavailableError, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { ChainConfig } from '../config/chain-schema.js';
import { isNotHeld, type Bundler, type SendOutcome } from './bundler.js';

// Far more than a process has open at a time.
const maxReceivers = 10_000;
// How long a bundler comes last after a send that failed.
const failedMs = 30_000;

/**
 * Combine the bundlers of a chain, in order of preference. One whose last send ended `unknown` or `unsent` comes last for
 * 30 seconds; then one operation tries it again.
 * - A send goes to the next bundler only after the outcome `unsent`.
 * - Gas limits and prices come from the first bundler that responds.
 * - Every bundler is asked about an operation, first the one that got it from this process.
 *
 * @param bundlers - two or more
 * @param now - milliseconds of a clock that never goes back
 */
export function combineBundlers(
  { entryPoint, chainId, contracts }: Pick<ChainConfig, 'entryPoint' | 'chainId' | 'contracts'>,
  bundlers: readonly Bundler[],
  now = () => performance.now(),
): Bundler {
  const failures = new Map<Bundler, number>();
  const inOrder = () => {
    const oldest = now() - failedMs;
    const failedAt = (bundler: Bundler) => Math.max(failures.get(bundler) ?? oldest, oldest);
    return bundlers.toSorted((a, b) => failedAt(a) - failedAt(b));
  };
  const sendTo = async (bundler: Bundler, userOp: UserOperation) => {
    // Until it responds, other operations go elsewhere.
    if (failures.has(bundler)) failures.set(bundler, now());
    const sent = await bundler.send(userOp);
    if (sent.outcome === 'unknown' || sent.outcome === 'unsent') failures.set(bundler, now());
    else failures.delete(bundler);
    return sent;
  };
  const receivers = new Map<Hex, Bundler>();
  const remember = (userOp: UserOperation, receiver: Bundler) => {
    receivers.set(userOperationHash(userOp, entryPoint, chainId, contracts.account), receiver);
    const [oldest] = receivers.keys();
    if (receivers.size > maxReceivers) receivers.delete(oldest!);
  };
  const receiverFirst = (userOpHash: Hex): readonly Bundler[] => {
    const receiver = receivers.get(userOpHash);
    return receiver ? [receiver, ...bundlers.filter((bundler) => bundler !== receiver)] : bundlers;
  };

  async function firstResponse<T>(ask: (bundler: Bundler) => Promise<T>): Promise<T> {
    let failure: unknown;
    for (const bundler of inOrder()) {
      try {
        return await ask(bundler);
      } catch (error) {
        if (!(error instanceof UpstreamUnavailableError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  return {
    gasPrice: (nodeFees) => firstResponse((bundler) => bundler.gasPrice(nodeFees)),
    estimate: (userOp, stateOverride) => firstResponse((bundler) => bundler.estimate(userOp, stateOverride)),
    async send(userOp) {
      let sent: SendOutcome | undefined;
      for (const bundler of inOrder()) {
        sent = await sendTo(bundler, userOp);
        if (sent.outcome === 'unsent') continue;
        remember(userOp, bundler);
        break;
      }
      return sent!;
    },
    async receipt(userOpHash) {
      const failures: unknown[] = [];
      for (const bundler of receiverFirst(userOpHash)) {
        try {
          const receipt = await bundler.receipt(userOpHash);
          if (receipt) return receipt;
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return null;
    },
    async status(userOpHash) {
      const asked = receiverFirst(userOpHash).map((bundler) => bundler.status(userOpHash));
      const reports = await Promise.all(asked);
      // A rejection by another bundler says nothing about the one that got the operation.
      return reports.find((report) => report && !isNotHeld(report)) ?? reports[0];
    },
    async holds(userOpHash) {
      const asked = bundlers.map((bundler) => bundler.holds(userOpHash));
      const settled = await Promise.allSettled(asked);
      if (settled.some((each) => each.status === 'fulfilled' && each.value === 'held')) return 'held';
      const results = await Promise.all(asked);
      return results.includes('not-held') ? 'not-held' : 'unsupported';
    },
  };
}
