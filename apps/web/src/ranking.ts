import type { VaultSummary } from '@yield-vault/protocol';
import { button, element, fill, tableRow } from './dom.js';
import { known, oneDigit, percent, twoDigits, usd } from './format.js';
import { orderBy, type RankedVault, type Value } from './order-vaults.js';

interface Column {
  readonly name: string;
  readonly value: Value;
  /** What the cell shows; the value itself by default. */
  readonly cell?: (vault: RankedVault) => string | Node;
  /** Left out on a narrow screen; the vault's own part of the page has it. */
  readonly isWide?: true;
}

// Fewer rows show without a click.
const shortLength = 12;

const columns: readonly Column[] = [
  { name: 'Rank', value: ({ rank }) => rank, isWide: true },
  { name: 'Vault', value: ({ name }) => name, cell: nameCell },
  { name: 'Asset', value: ({ asset }) => asset.symbol, isWide: true },
  { name: 'APY', value: ({ apy }) => apy.now, cell: ({ apy }) => percent(apy.now) },
  { name: 'APY 30 d', value: ({ apy }) => apy.month, cell: ({ apy }) => percent(apy.month), isWide: true },
  {
    name: 'Risk',
    value: ({ risk }) => risk.score,
    cell: ({ risk, coverage }) =>
      element(
        'span',
        {},
        `${oneDigit(risk.score)} ${risk.rating}`,
        element('span', { class: 'quiet' }, `${Math.round(coverage)} % known`),
      ),
  },
  {
    name: 'Sharpe',
    value: ({ sharpe }) => sharpe.month,
    cell: ({ sharpe }) => twoDigits(sharpe.month),
    isWide: true,
  },
  { name: 'TVL', value: ({ tvlUsd }) => tvlUsd, cell: ({ tvlUsd }) => usd(tvlUsd), isWide: true },
  {
    name: 'Exit',
    value: ({ exit }) => exit.instantUsd ?? -1,
    cell: ({ exit }) => known(exit.instantUsd, usd),
  },
  { name: 'Score', value: ({ score }) => score, cell: ({ score }) => twoDigits(score), isWide: true },
];

function nameCell({ vaultId, name, protocol }: RankedVault): Node {
  const link = element('a', { href: `#${vaultId}` }, name);
  return element('span', {}, link, element('span', { class: 'quiet' }, protocol));
}

/** Create a list of the vaults that are not offered, with the reasons. It loads when a user opens it. */
export function unlistedVaults(load: () => Promise<readonly VaultSummary[]>): HTMLElement {
  const list = element('div');
  const summary = element('summary', {}, 'Vaults that are not offered, and why');
  const created = element('details', {}, summary, list);
  const show = async () =>
    (await load()).map(({ vaultId, name, exclusions }) =>
      element('p', {}, element('a', { href: `#${vaultId}` }, name), `: ${exclusions.join(', ')}`),
    );
  created.addEventListener('toggle', () => void fill(list, show), { once: true });
  return created;
}

/** Texts and ranks begin with the smallest, numbers with the largest. */
const firstDirection = ({ name, value }: Column, vault: RankedVault) =>
  name === 'Rank' || typeof value(vault) === 'string' ? 'ascending' : 'descending';

/** Create the table of a ranking. A click on a heading sorts, a second one reverses the order. */
export function rankingTable(vaults: readonly RankedVault[], caption: string): readonly Node[] {
  const [best] = vaults;
  if (!best) return [element('p', { class: 'quiet' }, 'No vault of this chain is listed at present.')];
  let sorted = columns[0]!;
  let direction: 'ascending' | 'descending' = 'ascending';
  let length = shortLength;

  const body = element('tbody');
  const headings = columns.map((column) => {
    const sort = () => {
      const isReversed = sorted === column;
      direction = isReversed ? opposite(direction) : firstDirection(column, best);
      sorted = column;
      draw();
    };
    return element('th', { scope: 'col', class: classOf(column, best) }, button(column.name, sort));
  });
  const more = button(`Show all ${vaults.length} vaults`, () => {
    length = vaults.length;
    draw();
    body.rows[shortLength]?.querySelector('a')?.focus();
  });
  const draw = () => {
    const shown = orderBy(vaults, sorted.value, direction).slice(0, length);
    body.replaceChildren(...shown.map(row));
    for (const [index, heading] of headings.entries())
      if (columns[index] === sorted) heading.setAttribute('aria-sort', direction);
      else heading.removeAttribute('aria-sort');
    more.hidden = vaults.length <= length;
  };
  draw();
  const head = element('thead', {}, element('tr', {}, ...headings));
  const table = element('table', { class: 'ranking' }, element('caption', {}, caption), head, body);
  return [table, more];
}

const opposite = (direction: 'ascending' | 'descending') =>
  direction === 'ascending' ? 'descending' : 'ascending';

const row = (vault: RankedVault) =>
  tableRow(
    columns.map((column) => classOf(column, vault)),
    columns.map(({ value, cell }) => (cell ? cell(vault) : String(value(vault)))),
  );

function classOf({ value, isWide }: Column, vault: RankedVault): string {
  return [typeof value(vault) === 'number' ? 'number' : 'text', isWide ? 'wide' : ''].join(' ').trim();
}
