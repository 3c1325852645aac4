import { setTimeout as pause } from 'node:timers/promises';
import { UpstreamFailure } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { buildChain } from '../test/support/build-chain.js';
import { buildPayment } from '../test/support/build-payment.js';
import { response } from '../test/support/build-request.js';
import { buildResource } from '../test/support/build-resource.js';
import { createFakeToken } from '../test/support/fake-token.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import { withRpc } from '../test/support/with-rpc.js';
import { keyOf, termsOf } from './read-payment.js';
import { sweepPayments } from './sweep-payments.js';
import type { PaymentLedger } from './ports.js';
import type { PaymentChain, PaymentOutcome } from './types.js';

const lost = () => Promise.reject(new UpstreamFailure('rpc:base', 'HTTP status 500'));

const ledgers = openLedgers();

/** Payments whose outcome is unknown, in a ledger, and a sweep of them. */
function setUp() {
  const token = createFakeToken();
  const connected = ledgers.connect();
  const releases: Promise<void>[] = [];
  // A ledger slower than the node lets more payments begin before the failures end the run.
  const release: PaymentLedger['release'] = async (key, owner) =>
    void releases.push(connected.release(key, owner));
  const ledger = { ...connected, release };
  const outcomes: PaymentOutcome[] = [];
  const searched: Hex[] = [];
  const states = new Map<Hex, 'unclear' | 'unreadable'>();

  /** Transfer a payment, and lose the outcome. */
  async function lose(state: 'paid' | 'unclear' | 'unreadable', chain = buildChain()): Promise<Hex> {
    const payment = await buildPayment({}, buildResource([chain]));
    const key = keyOf(payment);
    const fingerprint = key.nonce;
    await ledger.reserve(
      { ...key, ...termsOf(payment, Date.now()), fingerprint },
      { owner: 'a', seconds: 60 },
    );
    await ledger.keepResponse(key, { owner: 'a', seconds: 0 }, response);
    token.pay(payment);
    if (state !== 'paid') states.set(key.nonce, state);
    return key.nonce;
  }

  const { rpc } = token.chain;
  const chain = withRpc(token.chain, {
    readContract: ((call: { args: [string, Hex] }) => {
      searched.push(call.args[1]);
      return rpc.readContract(call as never);
    }) as never,
    getLogs: ((call: { args: { nonce: Hex } }) => {
      const state = states.get(call.args.nonce);
      if (state === 'unreadable') return lost();
      return state === 'unclear' ? Promise.resolve([]) : rpc.getLogs(call as never);
    }) as never,
  });
  const sweep = (of: PaymentChain = chain, signal?: AbortSignal) =>
    sweepPayments(of, ledger, (outcome) => outcomes.push(outcome), signal).finally(() =>
      Promise.all(releases),
    );
  return { chain, ledger, lose, sweep, outcomes, searched };
}

describe('sweepPayments', () => {
  it.each([
    ['unclear', 20],
    ['unreadable', 7],
  ] as const)('behavior: payments that are %s delay no other payment', async (state, count) => {
    const { chain, lose, sweep, ledger, outcomes } = setUp();
    for (let index = 0; index < count; index++) await lose(state);
    for (let index = 0; index < 20; index++) await lose('paid');
    await expect(sweep()).rejects.toBeInstanceOf(UpstreamUnavailableError);
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => 'settled'));
    expect(await ledger.lapsed(8453, chain.asset.address)).toHaveLength(count);
  });

  it('behavior: a run begins with the payments that earlier runs did not reach', async () => {
    const { lose, sweep, outcomes, searched } = setUp();
    for (let index = 0; index < 16; index++) await lose('unreadable');
    const last = await lose('paid');
    const runs = [];
    for (let run = 0; run < 3; run++) {
      await pause(5);
      await sweep().catch(() => undefined);
      runs.push(searched.splice(0).length);
    }
    // Eight failures end a run.
    expect(runs[0]).toBe(8);
    expect(searched).not.toContain(last);
    expect(outcomes).toEqual(['settled']);
  });

  it('behavior: a node that is down receives few requests', async () => {
    const { chain, lose, sweep } = setUp();
    const getBlock = jest.fn(lost);
    for (let index = 0; index < 40; index++) await lose('paid');
    await expect(sweep(withRpc(chain, { getBlock: getBlock as never }))).rejects.toBeInstanceOf(
      UpstreamUnavailableError,
    );
    expect(getBlock).toHaveBeenCalledTimes(8);
  });

  it('behavior: a run ends between two payments when its signal aborts', async () => {
    const { lose, sweep, searched } = setUp();
    for (let index = 0; index < 20; index++) await lose('paid');
    const ending = new AbortController();
    ending.abort();
    const run = sweep(undefined, ending.signal);
    await run;
    expect(searched).toEqual([]);
  });
});
