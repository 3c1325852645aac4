import type { ExitMethod, Governance, VaultReport } from '@yield-vault/protocol';
import { dataTable, definitions, element } from '../dom.js';
import { bps, duration, known, percent, withAge, usd } from '../format.js';

const methods: Readonly<Record<ExitMethod, string>> = {
  simulated: 'Measured by simulated redeems',
  protocol: 'Read from the contracts of the protocol',
  idle: 'Only the assets in the vault itself, a lower bound',
  unknown: 'Unknown: no redeem could be simulated to its end',
};

/** How much can leave a vault, and how that was measured. */
export function exitText({ exit }: VaultReport): HTMLElement {
  const { instantUsd, instantPercent, p10Usd, method, checkedAt } = exit;
  const share = instantPercent === null ? '' : `, ${percent(instantPercent)} of the assets`;
  return definitions([
    ['Redeemable now', `${known(instantUsd, usd)}${share}`],
    ['In 9 of 10 hours', known(p10Usd, (value) => `at least ${usd(value)}, last 30 days`)],
    ['Method', methods[method]],
    ['Measured', known(checkedAt, withAge)],
  ]);
}

/** Who can change a vault, what it charges, what it pays besides, and where its assets are. */
export function riskFacts(report: VaultReport): readonly Node[] {
  const { governance, markets } = report;
  return [
    element(
      'div',
      { class: 'pair' },
      element('div', {}, element('h3', {}, 'Governance'), governanceList(governance)),
      element('div', {}, element('h3', {}, 'Fees and rewards'), feesList(report)),
    ),
    element('h3', {}, 'Markets'),
    markets.length === 0
      ? element('p', { class: 'quiet' }, 'The markets of this vault are unknown.')
      : dataTable(
          'Where the assets are lent, largest first',
          [
            ['Collateral', 'text'],
            ['Assets', 'number'],
            ['Lent out', 'number'],
            ['Liquidation at', 'number'],
            ['Oracle', 'text wide'],
          ],
          markets.map(({ collateralSymbol, sharePercent, utilisationPercent, lltvPercent, oracle }) => [
            collateralSymbol ?? 'none',
            percent(sharePercent),
            percent(utilisationPercent),
            percent(lltvPercent),
            address(oracle, 'none'),
          ]),
        ),
  ];
}

function governanceList(governance: Governance): HTMLElement {
  const { source, checkedAt, admin, timelockSeconds, owner, curator, guardian, safeThreshold, safeOwners } =
    governance;
  const safe = safeThreshold === null ? '' : `, Safe ${safeThreshold} of ${known(safeOwners, String)}`;
  const origin = source === 'chain' ? 'read from the contracts' : 'reviewed facts';
  const pending = governance.pendingChanges.map(({ change, loosens, validAt }) =>
    element('li', {}, `${change}${loosens ? ', riskier' : ''}, earliest ${known(validAt, withAge)}`),
  );
  // Reviewed facts say nothing of announcements.
  const nothing = source === 'chain' ? 'none' : 'unknown';
  return definitions([
    ['Admin', `${known(admin, String)}${safe}`],
    ['Timelock', known(timelockSeconds, duration)],
    ['Owner', address(owner)],
    ['Curator', address(curator)],
    ['Guardian', address(guardian)],
    ['Pending changes', pending.length > 0 ? element('ul', {}, ...pending) : nothing],
    ['Source', checkedAt === null ? origin : `${origin}, ${withAge(checkedAt)}`],
  ]);
}

function feesList({ fees, rewards }: VaultReport): HTMLElement {
  const paid = rewards.map(({ apr, symbol, source, endsAt }) =>
    element(
      'li',
      {},
      `${percent(apr)} in ${symbol} by ${source}, until ${known(endsAt, (end) => end.slice(0, 10))}`,
    ),
  );
  return definitions([
    ['Of the yield', known(fees.performancePercent, percent)],
    ['Of the assets, a year', known(fees.managementPercent, percent)],
    ['Of a redeem', known(fees.exitBps, bps)],
    ['Rewards besides the APY', paid.length > 0 ? element('ul', {}, ...paid) : 'none reported'],
  ]);
}

const address = (value: string | null, missing = 'none or unknown') =>
  value === null ? missing : element('code', {}, value);
