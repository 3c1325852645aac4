import { renderSummary } from './render-summary.js';

describe('renderSummary', () => {
  it('default: a row for each step and a sum', () => {
    const steps = [
      { title: 'Discover', lines: [], milliseconds: 12.4 },
      { title: 'Deposit', lines: [], milliseconds: 300, gasUsed: 230_000n, usdcPaid: '0.75' },
    ];
    expect(renderSummary([{ name: 'Base', steps }]).split('\n')).toEqual(
      [
        '          Base ms     gas      USDC',
        '─────────────────────────────────',
        'Discover       12                  ',
        'Deposit       300  230000      0.75',
        '─────────────────────────────────',
        'Together      312  230000  0.750000',
      ].map((line) => expect.stringContaining(line.trim())),
    );
  });
});
