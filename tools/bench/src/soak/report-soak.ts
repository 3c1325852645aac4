import { renderTable } from '../render-table.js';
import type { MemorySample } from './run-soak.js';

const megabyte = 2 ** 20;
// The garbage collector and the allocators breathe; what grows with every simulation does not stop at this.
const toleratedBytes = 48 * megabyte;

/** Render memory over the simulations, with the first and the last sample. */
export function reportSoak(samples: readonly MemorySample[]): string {
  const rows = samples.map(({ simulations, processRssBytes, anvils, anvilRssBytes }) => [
    String(simulations),
    megabytes(processRssBytes),
    String(anvils),
    megabytes(anvilRssBytes),
  ]);
  const table = renderTable(['simulations', 'process RSS (MB)', 'Anvils', 'Anvil RSS (MB)'], rows);
  const [first, last] = ends(samples);
  const summary = [
    `Process RSS: first ${megabytes(first.processRssBytes)} MB, last ${megabytes(last.processRssBytes)} MB.`,
    `Anvil RSS: first ${megabytes(first.anvilRssBytes)} MB, last ${megabytes(last.anvilRssBytes)} MB.`,
    `Flat within ${megabytes(toleratedBytes)} MB: ${isFlat(samples) ? 'met' : 'missed'}.`,
  ];
  return [table, '', ...summary].join('\n');
}

/** Whether memory is at the end what it was at the beginning. */
export function isFlat(samples: readonly MemorySample[]): boolean {
  const [first, last] = ends(samples);
  return (
    last.processRssBytes - first.processRssBytes <= toleratedBytes &&
    last.anvilRssBytes - first.anvilRssBytes <= toleratedBytes
  );
}

function ends(samples: readonly MemorySample[]): readonly [MemorySample, MemorySample] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) throw new Error('There is no sample');
  return [first, last];
}

function megabytes(bytes: number): string {
  return (bytes / megabyte).toFixed(1);
}
