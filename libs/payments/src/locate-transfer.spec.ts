import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { buildChain } from '../test/support/build-chain.js';
import { buildPayment } from '../test/support/build-payment.js';
import type { Payment } from './types.js';
import { locateTransfer } from './locate-transfer.js';

const head = 1_000_000n;
const blockSeconds = 2n;
const validBefore = 2_000_000_000n;
/** The first block in which it could be presented: 120 seconds and 30 for the payer's clock before it ends. */
const presented = head - 150n / blockSeconds;

/** A payment whose authorization was cancelled in a block, on a node that shows so many blocks at a time. */
async function build(canceledAt: bigint, { mostAtOnce = 2_000n, now = validBefore } = {}) {
  const ranges: { readonly from: bigint; readonly to: bigint }[] = [];
  const rpc = {
    getBlock: ({ blockNumber = head }: { blockNumber?: bigint } = {}) =>
      Promise.resolve({ number: blockNumber, timestamp: now - (head - blockNumber) * blockSeconds }),
    readContract: () => Promise.resolve(true),
    getLogs: (call: { event: { name: string }; fromBlock: bigint; toBlock: bigint }) => {
      const { event, fromBlock: from, toBlock: to } = call;
      ranges.push({ from, to });
      if (to - from + 1n > mostAtOnce) return Promise.reject(refusal);
      const isThere = event.name === 'AuthorizationCanceled' && from <= canceledAt && canceledAt <= to;
      return Promise.resolve(isThere ? [{ eventName: event.name }] : []);
    },
  };
  const chain = buildChain({ rpc: rpc as never });
  const payment = await buildPayment({ validBefore });
  return { ranges, payment: { ...payment, terms: { ...payment.terms, chain } } as Payment };
}

const refusal = new RpcRequestError({
  body: {},
  url: '',
  error: { code: -32_005, message: 'range too large' },
});

describe('locateTransfer', () => {
  it('default: a transfer a few blocks old is found with one request', async () => {
    const { payment, ranges } = await build(head - 10n);
    expect(await locateTransfer(payment)).toMatchObject({ kind: 'lost' });
    expect(new Set(ranges.map(({ from, to }) => to - from + 1n))).toEqual(new Set([64n]));
  });

  it.each([1n, 2n, 7n, 10n, 63n, 64n, 500n, 2_000n])(
    'behavior: a node that shows %d blocks at a time: all are found in which it could be presented',
    async (mostAtOnce) => {
      for (const block of [head, head - 63n, head - 64n, presented]) {
        const { payment } = await build(block, { mostAtOnce });
        expect(await locateTransfer(payment)).toMatchObject({ kind: 'lost' });
      }
    },
  );

  it('behavior: neither older blocks are read nor more than two thousand', async () => {
    const now = validBefore + 600n;
    const late = await build(0n, { now });
    expect(await locateTransfer(late.payment)).toEqual({ kind: 'unclear' });
    const oldest = late.ranges.reduce((least, { from }) => (from < least ? from : least), head);
    expect(head - oldest).toBeLessThan(1_000n);
    // On a clock that is far behind, all would be new enough.
    const stopped = await build(0n, { now: validBefore + 1_000_000n });
    const still = { ...stopped.payment.authorization, validBefore: 0n };
    const { ranges } = stopped;
    await locateTransfer({ ...stopped.payment, authorization: still });
    expect(ranges.reduce((least, { from }) => (from < least ? from : least), head)).toBe(head - 1_999n);
  });

  it('error: UpstreamUnavailableError where not even one block is shown', async () => {
    const { payment } = await build(head, { mostAtOnce: 0n });
    await expect(locateTransfer(payment)).rejects.toBeInstanceOf(UpstreamUnavailableError);
  });
});
