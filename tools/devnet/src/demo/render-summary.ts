import type { Step } from './flow.js';

/** The steps of the demo on one chain. */
export interface ChainSteps {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Render the final table: a row for each step with time, gas and its price in USDC on each chain. */
export function renderSummary(flows: readonly ChainSteps[]): string {
  const header = ['', ...flows.flatMap(({ name }) => [`${name} ms`, 'gas', 'USDC'])];
  const titles = flows[0]?.steps.map(({ title }) => title) ?? [];
  const rows = titles.map((title, index) => [title, ...flows.flatMap(({ steps }) => cellsOf(steps[index]))]);
  const total = [
    'Together',
    ...flows.flatMap(({ steps }) => [
      milliseconds(steps.reduce((sum, step) => sum + step.milliseconds, 0)),
      String(steps.reduce((sum, step) => sum + (step.gasUsed ?? 0n), 0n)),
      steps.reduce((sum, step) => sum + Number(step.usdcPaid ?? 0), 0).toFixed(6),
    ]),
  ];
  const table = [header, ...rows, total];
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [line(header), rule, ...rows.map(line), rule, line(total)].join('\n');
}

function cellsOf(step: Step | undefined): string[] {
  if (!step) return ['', '', ''];
  return [milliseconds(step.milliseconds), step.gasUsed?.toString() ?? '', step.usdcPaid ?? ''];
}

function milliseconds(value: number): string {
  return value.toFixed(0);
}
