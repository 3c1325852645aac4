import type { AlternativesResponse, Strategy, VaultQuote, VaultReport } from '@yield-vault/protocol';
import { getJson, listVaults } from '../api.js';
import { dataTable, element, fill } from '../dom.js';
import { bps, known, percent, twoDigits } from '../format.js';

/** Ask whether an amount stays in a vault or moves to another one, for a number of days. */
export function quoteForm(report: VaultReport, strategy: Strategy): readonly Node[] {
  const { asset } = report;
  const amount = element('input', {
    inputmode: 'decimal',
    value: asset.symbol.includes('USD') ? '25000' : '10',
  });
  const days = element('input', { type: 'number', min: '1', max: '365', value: '30' });
  const submit = element('button', { type: 'submit' }, 'Stay or move?');
  const result = element('div', { role: 'status' });
  const form = element(
    'form',
    { class: 'controls', id: 'quote' },
    element('label', {}, `Amount in ${asset.symbol} `, amount),
    element('label', {}, 'Days ', days),
    submit,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const query = new URLSearchParams({
      amount: amount.value,
      days: days.value,
      strategy,
    });
    void fill(result, async () => {
      const [response, listed] = await Promise.all([
        getJson<AlternativesResponse>(`/v1/yield/vaults/${report.vaultId}/alternatives?${query.toString()}`),
        listVaults(report.chain),
      ]);
      const names = new Map([report, ...listed].map(({ vaultId, name }) => [vaultId, name]));
      return decision(response, (vaultId) => names.get(vaultId) ?? vaultId);
    });
  });
  return [element('h3', {}, 'Stay or move?'), form, result];
}

function decision(response: AlternativesResponse, nameOf: (vaultId: string) => string): readonly Node[] {
  const { from, best, candidates, reason } = response;
  const title = response.decision === 'MOVE' && best ? `Move to ${nameOf(best.vaultId)}.` : 'Stay.';
  const quotes = [from, ...candidates];
  const row = ({ vaultId, netApy, apyAfter, exit, gas, breakEvenDays }: VaultQuote, index: number) => [
    index === 0 ? `${nameOf(vaultId)} (now)` : nameOf(vaultId),
    known(netApy, percent),
    percent(apyAfter),
    known(exit.receivedBps, bps),
    `$${twoDigits(gas.inUsd + gas.outUsd)}`,
    breakEvenDays === null ? known(netApy, () => 'never') : twoDigits(breakEvenDays),
  ];
  const warnings = quotes.flatMap((quote) => quote.warnings.map(({ message }) => element('li', {}, message)));
  return [
    element(
      'p',
      { class: 'notice good' },
      element('strong', {}, title),
      ` ${reason.replace(/vault (\d+)/, (_, vaultId: string) => nameOf(vaultId))}`,
    ),
    dataTable(
      `${from.amount} ${from.asset} for ${from.days} days`,
      [
        ['Vault', 'text'],
        ['Net APY', 'number'],
        ['APY after deposit', 'number wide'],
        ['Exit pays', 'number'],
        ['Gas in and out', 'number wide'],
        ['Break-even days', 'number wide'],
      ],
      quotes.map(row),
    ),
    element('ul', { class: 'quiet' }, ...warnings),
  ];
}
