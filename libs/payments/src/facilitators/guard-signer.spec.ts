import { UpstreamFailure } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { ExecutionRevertedError, TransactionReceiptNotFoundError, zeroAddress } from 'viem';
import { buildChain } from '../../test/support/build-chain.js';
import type { PaymentChain } from '../ports.js';
import type { Broadcaster } from './create-broadcaster.js';
import { guardSigner } from './guard-signer.js';

const down = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));
const broadcaster: Broadcaster = { address: testAccount('relayer').address, send: down, checkFees: down };
const guard = (rpc: object, send = broadcaster.send) =>
  guardSigner(buildChain({ rpc: rpc as PaymentChain['rpc'] }), { ...broadcaster, send }, 50);
const read = { address: zeroAddress, abi: [], functionName: 'name' };

describe('guardSigner', () => {
  it('behavior: code that cannot be read is absent, not a rejection, and the outage is remembered', async () => {
    const { signer, outage } = guard({ getCode: down });
    await expect(signer.getCode({ address: zeroAddress })).resolves.toBeUndefined();
    expect(outage()).toBeInstanceOf(UpstreamUnavailableError);
  });

  it('behavior: after an outage the node is asked nothing, and nothing is sent', async () => {
    let asked = 0;
    const { signer } = guard(
      { readContract: () => (asked++, down()), getCode: () => (asked++, down()) },
      () => {
        asked++;
        return Promise.resolve('0x01');
      },
    );
    await expect(signer.readContract(read)).rejects.toBeInstanceOf(UpstreamFailure);
    await expect(signer.readContract(read)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    await expect(signer.getCode({ address: zeroAddress })).resolves.toBeUndefined();
    await expect(signer.writeContract({ ...read, args: [] })).rejects.toBeInstanceOf(
      UpstreamUnavailableError,
    );
    expect(asked).toBe(1);
  });

  it('behavior: a revert is an answer, not an outage', async () => {
    const { signer, outage } = guard({ readContract: () => Promise.reject(new ExecutionRevertedError()) });
    await expect(signer.readContract(read)).rejects.toBeInstanceOf(ExecutionRevertedError);
    expect(outage()).toBeUndefined();
  });

  it('behavior: a transfer on its way outlives a node that is down for a moment', async () => {
    let looks = 0;
    const { signer, outage } = guard({
      getTransactionReceipt: () => (looks++ === 0 ? down() : Promise.resolve({ status: 'success' })),
    });
    await expect(signer.waitForTransactionReceipt({ hash: '0x01' })).resolves.toEqual({ status: 'success' });
    expect(outage()).toBeUndefined();
  });

  it('behavior: however many wait at once, each has a signal of its own', async () => {
    const listeners = jest.spyOn(EventTarget.prototype, 'addEventListener');
    const notYet = () => Promise.reject(new TransactionReceiptNotFoundError({ hash: '0x01' }));
    const waits = Array.from({ length: 2 }, () =>
      guard({ getTransactionReceipt: notYet }).signer.waitForTransactionReceipt({ hash: '0x01' }),
    );
    await Promise.allSettled(waits);
    const signals = new Set(listeners.mock.contexts);
    listeners.mockRestore();
    expect(signals.size).toBe(2);
  });

  it('error: no transaction but transfers of the token', async () => {
    await expect(guard({}).signer.sendTransaction({ to: zeroAddress, data: '0x' })).rejects.toThrow();
  });
});
