import { ForkNotRunningError } from '@yield-vault/protocol';
import { silentLogger } from '../../test/support/build-ephemeral-forks.js';
import { ownForks } from '../../test/support/own-forks.js';
import { startUpstream, type Upstream } from '../../test/support/start-upstream.js';
import { createJsonPoster } from '../rpc/create-json-poster.js';
import type { BlockRef } from '../types.js';
import { startSpareHost } from './start-spare-host.js';

describe('startSpareHost', () => {
  const poster = createJsonPoster();
  let upstream: Upstream;
  let newest: BlockRef;
  beforeAll(async () => {
    upstream = await startUpstream();
    newest = await upstream.reader.getBlock();
  });
  afterAll(async () => {
    await poster.close();
    await upstream.kill();
  });

  const start = (url = upstream.rpcUrl) =>
    startSpareHost({
      ...{ chain: { key: 'base', chainId: 8453, opStack: true }, id: 'spare', poster, logger: silentLogger },
      reservation: { url, pin: () => undefined, release: () => undefined },
      signal: new AbortController().signal,
    });

  it('default: stands on the block that it is pinned to', async () => {
    const host = await start().pin(newest);
    expect(BigInt(String(await host.request('eth_blockNumber')))).toBe(newest.number);
    await host.destroy();
  });

  it('behavior: its end waits for its process', async () => {
    // Nothing answers there.
    await start('http://127.0.0.1:9').end();
    expect(ownForks()).toEqual([]);
  });

  it('error: ForkNotRunningError for the state of another block than it is pinned to', async () => {
    const host = await start().pin({ ...newest, number: newest.number + 1n });
    await expect(host.request('eth_chainId')).rejects.toBeInstanceOf(ForkNotRunningError);
    await host.destroy();
    expect(ownForks()).toEqual([]);
  });
});
