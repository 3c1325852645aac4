import { UpstreamFailure } from '@yield-vault/chains';
import { canonical } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { encodeErrorResult, ExecutionRevertedError, parseAbi, zeroAddress, type Hex } from 'viem';
import { buildChain } from '../../test/support/build-chain.js';
import { tryAfter } from './try-after.js';

const call = { to: zeroAddress, data: '0x01' } as const;
const earlier = [{ to: zeroAddress, data: '0x02' }] as const;
const reason = 'ERC20: transfer amount exceeds balance';
const reverted = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [reason] });

/** A chain on which the earlier call fails, as one does that is mined by now. */
function chainThat(answers: { success: boolean; returnData: Hex }, hasMulticall3 = true) {
  const contracts = hasMulticall3 ? { multicall3: { address: canonical.multicall3 } } : {};
  const readContract = () => Promise.resolve([{ success: false, returnData: '0x' }, answers]);
  return buildChain({ rpc: { chain: { contracts }, readContract } as never });
}

describe('tryAfter', () => {
  it('default: a call that succeeds after earlier ones', async () => {
    const chain = chainThat({ success: true, returnData: '0x' });
    await expect(tryAfter(chain, earlier, call)).resolves.toBeUndefined();
  });

  it('behavior: with nothing before it the node is not asked', async () => {
    await expect(tryAfter(buildChain(), [], call)).resolves.toBeUndefined();
  });

  it.each<[string, Hex, string]>([
    ['with a reason', reverted, reason],
    ['without one', '0x', 'no reason'],
    ['with an error of its own', '0x12345678', 'no reason'],
  ])('error: it would revert %s', async (_, returnData, expected) => {
    const attempt = tryAfter(chainThat({ success: false, returnData }), earlier, call);
    await expect(attempt).rejects.toBeInstanceOf(ExecutionRevertedError);
    await expect(attempt).rejects.toThrow(expected);
  });

  it('error: UpstreamUnavailableError without an answer, and without Multicall3', async () => {
    const readContract = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));
    const { rpc } = chainThat({ success: true, returnData: '0x' });
    const silent = buildChain({ rpc: { ...rpc, readContract } as never });
    const without = chainThat({ success: true, returnData: '0x' }, false);
    for (const chain of [silent, without])
      await expect(tryAfter(chain, earlier, call)).rejects.toBeInstanceOf(UpstreamUnavailableError);
  });
});
