import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildStoredReport } from '../../test/build-stored-report.js';
import { createServedChain, type ServedChain } from './served-chain.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** In a function of its own, so that nothing here holds on to what was handed over. */
async function handOver(served: ServedChain): Promise<WeakRef<object>> {
  const stored = buildStoredReport();
  await served.replace({ version: 1n, newestSnapshot: 1_790_000_000, rows: [stored], dropped: [] });
  return new WeakRef(stored.report);
}

describe('createServedChain', () => {
  it('behavior: does not keep the reports that the sampler of this process hands over', async () => {
    const served = createServedChain();
    const report = await handOver(served);
    await nextTurn();
    collectGarbage();
    expect(report.deref()).toBeUndefined();
    expect(served.current()!.index.all).toHaveLength(1);
  });
});
