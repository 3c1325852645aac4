import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RegistryEntry, shippedRegistry } from '../src/index.js';
import { measureVaults } from '../src/measuring/measure-vaults.js';
import type { ContractFacts } from '../src/ports.js';
import { buildContractFacts } from './build-contract-facts.js';
import { buildMeasureInput, measuredAt } from './build-measure-input.js';
import { buildTrackedVault } from './build-snapshots.js';

/** Protocols whose vaults name nobody, or a contract that says nothing of itself. */
const silent = ['aave-v3', 'euler-v2', 'fluid', 'ipor-fusion', 'sky', 'spark-savings', 'spark-vaults-v1'];

/** What the contracts of a protocol show, modelled on their source code. */
function factsOf({ protocol }: RegistryEntry): ContractFacts {
  const admin = silent.includes(protocol) ? null : 'multisig';
  const isMorpho = protocol === 'morpho';
  return buildContractFacts({
    governance: { admin, safeThreshold: admin && 3 },
    words: isMorpho ? { oracle: 'custom', strategy: 'multi_market' } : {},
  });
}

const entries = shippedRegistry();

async function coverageOf(inputs: (entry: RegistryEntry) => object): Promise<number[]> {
  const built = entries.map((entry, id) => {
    const vault = { ...buildTrackedVault({}, id), entry };
    return { ...buildMeasureInput(), vault, ...inputs(entry) };
  });
  const reports = await measureVaults(built, { now: measuredAt, minTvlUsd: 0, maxProbeAgeSeconds: 21_600 });
  return reports.map(({ summary }) => summary.coverage);
}

const span = (numbers: readonly number[]): string =>
  [...new Set([Math.min(...numbers), Math.max(...numbers)])].join('–');

describe('docs/metrics.md', () => {
  it('default: the coverage of every shipped vault, before and with the facts of the chain', async () => {
    const before = await coverageOf(() => ({ exit: undefined }));
    const after = await coverageOf((entry) => ({ contract: factsOf(entry) }));
    const protocols = [...new Set(entries.map(({ protocol }) => protocol))].sort();
    const rows = protocols.map((protocol) => {
      const own = entries.flatMap((entry, index) => (entry.protocol === protocol ? [index] : []));
      const cells = [before, after].map((all) => span(own.map((index) => all[index]!)));
      const reached = own.filter((index) => after[index]! >= (protocol === 'morpho' ? 85 : 75));
      return [protocol, own.length, ...cells, reached.length].join(' | ');
    });
    const lines = readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8').split('\n');
    const start = lines.findIndex((line) => line.startsWith('| protocol'));
    const documented = lines.slice(start + 2, start + 2 + rows.length).map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
        .join(' | '),
    );
    expect(documented).toEqual(rows);
  });
});
