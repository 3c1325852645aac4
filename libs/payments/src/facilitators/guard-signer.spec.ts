import { UpstreamFailure } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { erc20Abi, ExecutionRevertedError, zeroAddress, type TransactionReceipt } from 'viem';
import { buildChain } from '../../test/support/build-chain.js';
import type { PaymentChain } from '../ports.js';
import type { Broadcaster } from './create-broadcaster.js';
import { guardSigner } from './guard-signer.js';

const down = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));
const broadcaster: Broadcaster = { address: testAccount('relayer').address, send: down, checkFees: down };
const guard = (rpc: object, send = broadcaster.send) =>
  guardSigner(buildChain({ rpc: rpc as PaymentChain['rpc'] }), { ...broadcaster, send }, zeroAddress);
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
      () => (asked++, down()),
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

  it('behavior: what was sent was waited for: its receipt is there, and no other one', async () => {
    const receipt = { transactionHash: '0x01', status: 'reverted' } as unknown as TransactionReceipt;
    const { signer } = guard({}, () => Promise.resolve(receipt));
    const call = { address: zeroAddress, abi: erc20Abi, functionName: 'decimals', args: [] };
    await expect(signer.waitForTransactionReceipt({ hash: '0x01' })).rejects.toThrow();
    await expect(signer.writeContract(call)).resolves.toBe('0x01');
    await expect(signer.waitForTransactionReceipt({ hash: '0x01' })).resolves.toBe(receipt);
    await expect(signer.waitForTransactionReceipt({ hash: '0x02' })).rejects.toThrow();
  });

  it('error: no transaction but transfers of the token', async () => {
    await expect(guard({}).signer.sendTransaction({ to: zeroAddress, data: '0x' })).rejects.toThrow();
  });
});
