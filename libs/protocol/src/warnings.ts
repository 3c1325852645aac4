import type { Governance, Warning } from './wire/vault-facts.js';
import type { RankedVault } from './wire/vault.js';

// Below it, the score of a vault is raised, too.
const lowCoverage = 60;

/**
 * Warn of a vault that a deposit goes into.
 *
 * @param amountUsd - size of the deposit; 0 when unknown
 */
export function vaultWarnings(
  { name, exit, coverage, governance }: Pick<RankedVault, 'name' | 'exit' | 'coverage' | 'governance'>,
  amountUsd: number,
): readonly Warning[] {
  const warnings: Warning[] = [];
  const { instantUsd } = exit;
  if (instantUsd === null)
    warnings.push({ code: 'EXIT_THIN', message: `Nobody knows what ${name} can pay out now.` });
  else if (instantUsd < 2 * amountUsd)
    warnings.push({
      code: 'EXIT_THIN',
      message: `${name} can pay out ${Math.floor(instantUsd)} USD now, less than twice this amount.`,
    });
  if (coverage < lowCoverage)
    warnings.push({
      code: 'LOW_COVERAGE',
      message: `Only ${Math.floor(coverage)} % of the risk of ${name} is known.`,
    });
  const loosening = governance.pendingChanges.filter(({ loosens }) => loosens);
  if (loosening.length > 0)
    warnings.push({
      code: 'PENDING_CHANGE',
      message: `A change that makes ${name} riskier is announced. It can be applied ${earliest(loosening)}.`,
    });
  return warnings;
}

// Timestamps of the interface sort as text.
function earliest(changes: Governance['pendingChanges']): string {
  const [first] = changes.flatMap(({ validAt }) => validAt ?? []).sort();
  return first === undefined ? 'at an unknown time' : `from ${first} on`;
}
