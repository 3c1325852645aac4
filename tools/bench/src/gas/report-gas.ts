import { renderTable } from '../report.js';
import { gasSteps, type GasProfile, type GasStep } from './measure-gas.js';
import type { GasRun } from './run-gas.js';

/** Most gas of our account at the receipt. What is charged depends on the bundler, so a test of the contracts limits it. */
export const gasGoals: readonly { readonly step: GasStep; readonly most: bigint }[] = [
  { step: 'setup', most: 80_000n },
  { step: 'second deposit', most: 187_000n },
];

const thousands = (gas: bigint | undefined) => (gas === undefined ? '-' : (Number(gas) / 1000).toFixed(1));

/** The goals that a profile misses. */
export function missedGoals(ours: GasProfile) {
  return gasGoals.filter(({ step, most }) => ours[step].gasUsed > most);
}

/** Render the gas of every contender side by side, in thousands. */
export function reportGas({ plain, reference, safe, ours }: GasRun): string {
  const table = renderTable(
    ['Gas, thousands', 'EOA', 'Simple7702Account', 'Safe', 'Safe, charged', 'ours', 'ours, charged'],
    gasSteps.map((step) => [
      step,
      thousands(plain[step].gasUsed),
      thousands(reference[step].gasUsed),
      thousands(safe[step].gasUsed),
      thousands(safe[step].chargedGas),
      thousands(ours[step].gasUsed),
      thousands(ours[step].chargedGas),
    ]),
  );
  const missed = missedGoals(ours);
  const goals = gasGoals.map((goal) => {
    const result = missed.includes(goal) ? 'missed' : 'met';
    return `Goal: ${goal.step}, at most ${thousands(goal.most)}k: ${result}.`;
  });
  return `${table}\n\n${goals.join('\n')}`;
}
