import { UpstreamFailure } from '@yield-vault/chains';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { zeroAddress } from 'viem';
import { refusingNode } from '../../test/support/refusing-node.js';
import { fromNode, isReadRefusal } from './inclusion.js';

const caught = (response: Promise<unknown>) =>
  fromNode({ key: 'base' }, response).catch((error: unknown) => error);

describe('fromNode', () => {
  it.each([
    [-32000, 'header not found'],
    [-32000, 'One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found.'],
    [-32001, 'Unable to find header'],
    [-32019, 'block is out of range'],
    [-32602, 'eth_getLogs is limited to a 10 block range'],
  ])('error: UpstreamUnavailableError for a refused read: %i %s', async (code, message) => {
    const node = refusingNode(code, message);
    for (const read of [
      node.getLogs({ fromBlock: 1n, toBlock: 2n }),
      node.getBlock({ blockNumber: 1n }),
      node.readContract({
        address: zeroAddress,
        abi: entryPointV08Abi,
        functionName: 'getNonce',
        args: [zeroAddress, 0n],
        blockNumber: 1n,
      }),
    ]) {
      const error = await caught(read);
      expect(error).toBeInstanceOf(UpstreamUnavailableError);
      expect(error).toMatchObject({ details: { dependency: 'rpc:base' }, retryable: true });
      expect(isReadRefusal(error)).toBe(true);
    }
  });

  it('error: an outage is no refusal, and any other error is unchanged', async () => {
    const outage = await caught(Promise.reject(new UpstreamFailure('rpc:base', 'timed out')));
    expect(outage).toBeInstanceOf(UpstreamUnavailableError);
    expect(isReadRefusal(outage)).toBe(false);
    const bug = new TypeError('a bug');
    expect(await caught(Promise.reject(bug))).toBe(bug);
    expect(isReadRefusal(bug)).toBe(false);
  });
});
