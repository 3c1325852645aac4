import { formatUnits } from 'viem';
import { renderTable } from '../report.js';
import { gasSteps, type GasProfile } from './measure-gas.js';

/** Most gas that a first deposit through the paymaster may use. */
export const depositGoal = 235_000n;

const thousands = (gas: bigint) => (Number(gas) / 1000).toFixed(1);

/** Whether the first deposit keeps to the goal. */
export function meetsGoal(ours: GasProfile): boolean {
  return ours['first deposit'].gasUsed <= depositGoal;
}

/** Render the gas of every contender side by side, in thousands, with the ratios of ours to the others. */
export function reportGas(plain: GasProfile, reference: GasProfile, ours: GasProfile): string {
  const ratio = (a: bigint, b: bigint) => (b === 0n ? '-' : (Number(a) / Number(b)).toFixed(2));
  const table = renderTable(
    ['Gas, thousands', 'EOA', 'Simple7702Account', 'ours', 'ours / EOA', 'ours / Simple7702', 'USDC paid'],
    gasSteps.map((step) => {
      const [floor, simple, own] = [plain[step], reference[step], ours[step]];
      return [
        step,
        thousands(floor.gasUsed),
        thousands(simple.gasUsed),
        thousands(own.gasUsed),
        ratio(own.gasUsed, floor.gasUsed),
        ratio(own.gasUsed, simple.gasUsed),
        own.usdcPaid === undefined ? '-' : formatUnits(own.usdcPaid, 6),
      ];
    }),
  );
  const result = meetsGoal(ours) ? 'met' : 'missed';
  return `${table}\n\nGoal: first deposit at most ${thousands(depositGoal)}k: ${result}.`;
}
