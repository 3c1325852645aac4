import { capabilityResults } from '@yield-vault/protocol';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { badFlags } from '../src/catalogue/catalogue-source.js';
import { priceSources } from '../src/ports.js';

const lines = readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8').split('\n');

/** First cells of the rows of the table whose header begins with this cell. */
function namesIn(header: string): string[] {
  const cells = lines.map((line) => line.replaceAll('`', '').split('|')[1]?.trim());
  const start = cells.indexOf(header);
  const rest = cells.slice(start + 2);
  return rest.slice(0, rest.indexOf(undefined)) as string[];
}

describe('docs/metrics.md', () => {
  it('default: every price source, capability result and flag that excludes', () => {
    expect(namesIn('priceSource').sort()).toEqual(Object.keys(priceSources).sort());
    expect(namesIn('result')).toEqual(capabilityResults);
    const flags = lines.find((line) => line.startsWith('| `flag:…`'))!.split('|')[2]!;
    expect(flags.replaceAll('`', '').replace(/^.*: /, '').trim().split(', ')).toEqual([...badFlags]);
  });
});
