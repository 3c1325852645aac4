import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Hex } from 'viem';
import { createForkRequest } from '../../src/rpc/create-fork-request.js';
import { createJsonPoster } from '../../src/rpc/create-json-poster.js';
import type { ForkStrategy } from '../../src/types.js';
import { buildEphemeralForks } from '../support/build-ephemeral-forks.js';
import { call, word, words } from '../support/calls.js';
import { ownForks } from '../support/own-forks.js';
import { startUpstream, type Upstream } from '../support/start-upstream.js';
import { tiny } from '../support/tiny-contracts.js';

const simulations = 16;

let upstream: Upstream;
let forks: ReturnType<typeof buildEphemeralForks>;

beforeAll(async () => {
  upstream = await startUpstream();
  forks = buildEphemeralForks(upstream.rpcUrl, { concurrency: simulations, maxForks: simulations });
});
afterAll(async () => {
  await forks?.close();
  await upstream?.kill();
});

describe.each<ForkStrategy>(['overlay', 'process'])('isolation, strategy %s', (strategy) => {
  it(`behavior: ${simulations} simulations that change the same slot see only their own change`, async () => {
    const seen = await Promise.all(
      Array.from({ length: simulations }, (_, index) =>
        forks.withEphemeralFork(
          'base',
          async (fork) => {
            const own = word(BigInt(index + 1));
            const { calls } = await fork.simulate({ calls: [call('counter', own), call('counter', own)] });
            return calls.map(({ returnData }) => words(returnData)[0]);
          },
          { strategy },
        ),
      ),
    );
    expect(seen).toEqual(
      Array.from({ length: simulations }, (_, index) => [BigInt(index + 1), BigInt(2 * (index + 1))]),
    );
    const slot = await upstream.reader.getStorageAt({ address: tiny.counter.address, slot: word(0n) });
    expect(slot).toBe(word(0n));
  });
});

it('behavior: the state of a host is the same after simulations as before', async () => {
  const run = () =>
    Promise.all(
      Array.from({ length: simulations }, (_, index) =>
        forks.withEphemeralFork('base', (fork) =>
          fork.simulate({ calls: [call('counter', word(BigInt(index)))] }),
        ),
      ),
    );
  await run();
  const [host] = ownForks();
  const poster = createJsonPoster();
  try {
    const ask = createForkRequest({ chain: 'base', rpcUrl: listeningUrl(host?.pid), poster });
    const state = async () => [await ask('anvil_dumpState'), await ask('eth_blockNumber')] as Hex[];
    const before = await state();
    const { hosts } = forks.stats().chains['base'] ?? {};
    await run();
    expect(await state()).toEqual(before);
    // It served both rounds.
    expect(forks.stats().chains['base']?.hosts).toEqual(hosts);
  } finally {
    await poster.close();
  }
});

/** Find the loopback port on which a process listens, from the kernel's list of sockets. */
function listeningUrl(pid = 0): string {
  const sockets = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1);
  const own = new Set(readSocketInodes(pid));
  const row = sockets
    .map((line) => line.trim().split(/\s+/))
    .find(([, , , state, , , , , , inode = '']) => state === '0A' && own.has(inode));
  return `http://127.0.0.1:${Number.parseInt(row?.[1]?.split(':')[1] ?? '', 16)}`;
}

function readSocketInodes(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    const inode = /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1];
    return inode ? [inode] : [];
  });
}
