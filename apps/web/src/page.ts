import type { ChainsResponse, Health, HistoryResponse, Strategy, VaultReport } from '@yield-vault/protocol';
import { getJson, listVaults } from './api.js';
import { addChoices, byId, element, failure, fill, part } from './dom.js';
import { exitText, riskFacts } from './report/facts.js';
import { words } from './format.js';
import { growth } from './growth.js';
import { rankVaults } from './order-vaults.js';
import { quoteForm } from './report/quote.js';
import { rankingTable, unlistedVaults } from './ranking.js';
import { keyFigures, scoreParts } from './report/scores.js';

const strategies: readonly Strategy[] = ['balanced', 'maximize_apy', 'minimize_risk'];
const periods = [
  ['7d', '7 days'],
  ['24h', '24 hours'],
  ['30d', '30 days'],
  ['90d', '90 days'],
] as const;

/** The choices on the page. */
const chosen = { chain: '', strategy: strategies[0]!, period: '7d', vaultId: '' };
// It is moved into the report of each vault.
const curvesPart = byId('curves');

function showRanking(): void {
  void fill(byId('ranking'), async () => {
    const { chain } = chosen;
    const ranked = rankVaults(await listVaults(chain), chosen.strategy);
    if (chosen.vaultId === '' && ranked[0]) showVault(ranked[0].vaultId);
    byId('growth').replaceChildren(...growth(ranked));
    const strategy = words(chosen.strategy).toLowerCase();
    return [
      ...rankingTable(ranked, `${ranked.length} listed vaults of ${chain}, strategy ${strategy}`),
      unlistedVaults(() => listVaults(chain, false)),
    ];
  });
}

function showVault(vaultId: string): void {
  chosen.vaultId = vaultId;
  void fill(byId('report'), async () => {
    const report = await getJson<VaultReport>(`/v1/yield/vaults/${vaultId}`);
    byId('vault-title').textContent = report.name;
    const exitPart = await part('The charts', async () =>
      (await import('./report/curves.js')).exitCurves(report.exit),
    );
    return [
      ...keyFigures(report),
      curvesPart,
      element('h3', {}, 'Exit'),
      exitText(report),
      ...exitPart,
      ...quoteForm(report, chosen.strategy),
      ...scoreParts(report, chosen.strategy),
      ...riskFacts(report),
    ];
  });
  showHistory();
}

function showHistory(): void {
  const { vaultId, period } = chosen;
  const query = new URLSearchParams({ vaultId, period });
  const load = () => getJson<HistoryResponse>(`/v1/yield/history?${query.toString()}`);
  const target = curvesPart.querySelector<HTMLElement>('.history')!;
  void fill(target, async () => {
    const { data } = await load();
    return part('The charts', async () => (await import('./report/curves.js')).historyCurves(data));
  });
}

/** The address of the page names the vault, so that it can be shared. */
function showLinkedVault(): boolean {
  const [, vaultId] = /^#(\d+)$/.exec(location.hash) ?? [];
  if (vaultId !== undefined) showVault(vaultId);
  return vaultId !== undefined;
}

async function showState(): Promise<Partial<Health>> {
  const state = byId('state');
  try {
    const health = await getJson<Health>('/health');
    const { status, environment, freshness, paused, paymentEnforcement, version } = health;
    const payments =
      paymentEnforcement === 'on' ? 'discover and prepare are paid (x402)' : 'all calls are free';
    const data = `data ${freshness.snapshotFreshnessStatus}`;
    const stopped = paused.length > 0 ? [`paused: ${paused.join(', ')}`] : [];
    state.textContent = [status, environment, data, ...stopped, payments, `version ${version}`].join(' · ');
    state.dataset['status'] = status;
    return health;
  } catch (error) {
    state.replaceChildren(failure(error));
    return {};
  }
}

async function start(): Promise<void> {
  byId('stopped').remove();
  const named = strategies.map((strategy) => [strategy, words(strategy)] as const);
  addChoices(byId('strategies'), named, (strategy) => {
    chosen.strategy = strategy;
    showRanking();
    if (chosen.vaultId !== '') showVault(chosen.vaultId);
  });
  addChoices(byId('periods'), periods, (period) => {
    chosen.period = period;
    showHistory();
  });
  showLinkedVault();
  addEventListener('hashchange', () => {
    if (!showLinkedVault()) return;
    byId('vault-title').focus({ preventScroll: true });
    byId('vault').scrollIntoView();
  });
  const isLocal = showState().then(({ environment }) => environment === 'local');
  byId('verifier').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = byId<HTMLTextAreaElement>('envelope').value;
    // The agent client is larger than the rest of the page.
    void fill(byId('result'), () =>
      part('The check', async () => (await import('./verifier.js')).check(text, await isLocal)),
    );
  });
  await fill(byId('ranking'), async () => {
    const { chains } = await getJson<ChainsResponse>('/v1/yield/chains');
    const options = chains.map(({ chain, name }) => [chain, name] as const);
    const choose = (chain: string) => {
      chosen.chain = chain;
      showRanking();
    };
    addChoices(byId('chains'), options, choose);
    if (chains[0]) choose(chains[0].chain);
    return [];
  });
  // Only the local deployment serves this code.
  if (await isLocal)
    void fill(byId('reviewer'), () => part('The flow', async () => (await import('./flow.js')).flow()));
}

void start();
