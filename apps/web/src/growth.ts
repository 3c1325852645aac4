import { button, element } from './dom.js';
import { percent } from './format.js';
import type { RankedVault } from './order-vaults.js';

const deposit = 10_000;
const yearMs = 365 * 86_400_000;
const amount = new Intl.NumberFormat('en', { minimumFractionDigits: 6 });
const opened = Date.now();
let timer = 0;

/** The value of the deposit after a time, at an APY in percent. */
export const valueAfter = (ms: number, apy: number): number => deposit * (1 + apy / 100) ** (ms / yearMs);

/** Show how a deposit into the best vault of USDC would have grown since the page was opened. */
export function growth(ranked: readonly RankedVault[]): readonly Node[] {
  clearInterval(timer);
  const best = ranked.find(({ asset }) => asset.symbol === 'USDC');
  if (!best) return [];
  const apy = best.apy.month;
  // Not a live region: a screen reader would speak without end.
  const value = element('p', { class: 'growth' });
  const show = () => void (value.textContent = `${amount.format(valueAfter(Date.now() - opened, apy))} USDC`);
  const pause = button('', () => run(pause.textContent === 'Count'));
  const run = (isRunning: boolean) => {
    clearInterval(timer);
    if (isRunning) timer = setInterval(show, 1000);
    pause.textContent = isRunning ? 'Pause' : 'Count';
  };
  show();
  run(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  const link = element('a', { href: `#${best.vaultId}` }, best.name);
  const since = ` since this page was opened, at the APY of its last 30 days: ${percent(apy)}. An APY is no promise.`;
  return [
    element('h2', {}, '10,000 USDC at work'),
    value,
    element('p', { class: 'quiet' }, 'What 10,000 USDC would be worth in ', link, since),
    pause,
  ];
}
